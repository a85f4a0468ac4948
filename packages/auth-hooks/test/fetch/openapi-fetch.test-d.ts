import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
import type { AuthScheme } from '@svc/types'
import createClient, { type ClientOptions } from 'openapi-fetch'

declare const scheme: AuthScheme

interface Paths {
  '/user/groups': {
    get: { responses: { 200: { content: { 'application/json': { id: string }[] } } } }
  }
}

export const options: ClientOptions = authOpenApi(scheme)
export const client = createClient<Paths>({ baseUrl: 'https://a.example', ...authOpenApi(scheme) })
export const perCall = client.GET('/user/groups', {
  ...authOpenApi(scheme, { redirect: 'follow' }),
})
export const withFetch = authOpenApi(scheme, { fetch, maxReplayBytes: 1 })

// @ts-expect-error a redirect policy is one of two words
authOpenApi(scheme, { redirect: 'manual' })
// @ts-expect-error a scheme has authorize
authOpenApi({ name: 'x', covers: () => true })
