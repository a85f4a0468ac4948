import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import { Agent, Client, interceptors, Pool, request } from 'undici'
import { Agent as Agent7, interceptors as interceptors7, request as request7 } from 'undici7'

declare const scheme: AuthScheme

export const composed = new Agent().compose(authInterceptor(scheme), interceptors.retry())
export const listed = new Agent().compose([authInterceptor(scheme), interceptors.redirect()])
export const client = new Client('https://a.example').compose(authInterceptor(scheme))
export const pool = new Pool('https://a.example').compose(authInterceptor(scheme))
export const composed7 = new Agent7().compose(authInterceptor(scheme), interceptors7.retry())
export const listed7 = new Agent7().compose([authInterceptor(scheme), interceptors7.redirect()])

export const response = request('https://a.example', { dispatcher: composed })
export const response7 = request7('https://a.example', { dispatcher: composed7 })

authInterceptor(scheme, { maxReplayBytes: 1 })
// @ts-expect-error a size is a number
authInterceptor(scheme, { maxReplayBytes: '1' })
// @ts-expect-error redirects belong to undici's own interceptor
authInterceptor(scheme, { redirect: 'follow' })
// @ts-expect-error a scheme has authorize
authInterceptor({ name: 'x', covers: () => true })
