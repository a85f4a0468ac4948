import { authFetch, authKy, kyAuthHooks } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import ky, { type Options } from 'ky'
import ky1, { type Options as Options1 } from 'ky1'

declare const scheme: AuthScheme

export const options: Options = authKy(scheme)
export const options1: Options1 = authKy(scheme)
export const hooks: Options = { hooks: kyAuthHooks(scheme) }
export const hooks1: Options1 = { hooks: kyAuthHooks(scheme) }
export const fetchOnly: Options & Options1 = { fetch: authFetch(scheme) }

export const api = ky.create({ prefix: 'https://a.example' }).extend(authKy(scheme))
export const api1 = ky1.create({ prefixUrl: 'https://a.example' }).extend(authKy(scheme))
export const over = ky.extend((parent) => authKy(scheme, { fetch: parent.fetch }))
export const over1 = ky1.extend((parent) => authKy(scheme, { fetch: parent.fetch }))

// The global fetch is one of ours, and the other way round.
export const global: typeof fetch = authFetch(scheme)
authFetch(scheme, { fetch })

// @ts-expect-error a redirect policy is one of two words
authFetch(scheme, { redirect: 'manual' })
// @ts-expect-error a scheme has authorize
authFetch({ name: 'x', covers: () => true })

// @ts-expect-error -- ky has a prefix of its own
authKy(scheme, { baseUrl: 'https://search.example.com' })
