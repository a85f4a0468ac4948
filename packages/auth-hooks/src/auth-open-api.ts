/**
 * Authenticates the requests of openapi-fetch. Needs `openapi-fetch`.
 *
 * @module @svc/auth-hooks/openapi-fetch
 */
import type { AuthScheme, Fetch } from '@svc/types'
import { authFetch, type AuthFetchOptions } from './auth-fetch.ts'

/** What {@link authOpenApi} gives to `createClient` of openapi-fetch. */
export interface AuthOpenApiOptions {
  /** Authenticates the last hop, as {@link authFetch} does. */
  fetch: Fetch
}

/**
 * Options that let a client of openapi-fetch authenticate every request, after all of its middlewares.
 *
 * A middleware of its own would not do: what later ones change would not be signed, and once a request
 * is sent its body is gone, so that a refused one could not be sent again.
 *
 * @throws TypeError where an option is wrong; the message names it.
 * @throws AuthError from each call, as {@link authFetch} does.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
 * import type { ObjectGroup } from '@svc/types'
 * import createClient from 'openapi-fetch'
 *
 * // What openapi-typescript makes of a description.
 * interface paths {
 *   '/user/groups': {
 *     get: { responses: { 200: { content: { 'application/json': ObjectGroup[] } } } }
 *   }
 * }
 * declare const auth: AuthScheme
 * const baseUrl = 'https://search.example.com'
 * const client = createClient<paths>({ baseUrl, ...authOpenApi(auth) })
 * const { data } = await client.GET('/user/groups')
 * console.log(data?.map(({ name }) => name))
 * @see https://openapi-ts.dev/openapi-fetch/api#createclient
 */
export function authOpenApi(scheme: AuthScheme, options?: AuthFetchOptions): AuthOpenApiOptions {
  return { fetch: authFetch(scheme, options) }
}
