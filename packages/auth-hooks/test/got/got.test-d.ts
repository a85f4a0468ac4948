import { authGot } from '@svc/auth-hooks/got'
import type { AuthScheme } from '@svc/types'
import got, { type ExtendOptions } from 'got'
import got14, { type ExtendOptions as ExtendOptions14 } from 'got14'
import got15, { type ExtendOptions as ExtendOptions15 } from 'got15'

declare const scheme: AuthScheme

export const options: ExtendOptions = authGot(scheme)
export const options15: ExtendOptions15 = authGot(scheme)
export const options14: ExtendOptions14 = authGot(scheme)

export const api = got.extend({ prefixUrl: 'https://a.example' }, authGot(scheme))
export const api15 = got15.extend({ prefixUrl: 'https://a.example' }, authGot(scheme))
export const api14 = got14.extend({ prefixUrl: 'https://a.example' }, authGot(scheme))
export const text: Promise<string> = api('path').text()
export const over = api.extend({ responseType: 'json' })

authGot(scheme, { redirect: 'follow', maxRedirects: 3, sensitiveHeaders: ['x-own'], onEvent() {} })

// @ts-expect-error a redirect policy is one of two words
authGot(scheme, { redirect: 'manual' })
// @ts-expect-error a scheme has authorize
authGot({ name: 'x', covers: () => true })
// @ts-expect-error the request option of got stays where it is
authGot(scheme, { request: () => undefined })
