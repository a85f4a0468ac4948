/**
 * Authenticates the requests of openapi-fetch. Needs `openapi-fetch`.
 *
 * @module @svc/auth-hooks/openapi-fetch
 */
import type { AuthScheme, Fetch } from '@svc/types'
import { authFetch, type AuthFetchOptions } from './auth-fetch.ts'

/** Options that {@link authOpenApi} returns for `createClient` of openapi-fetch. */
export interface OpenApiAuth {
  /** Authenticates requests, as {@link authFetch} does. */
  fetch: Fetch
}

/**
 * Options that make an openapi-fetch client authenticate every request, after all of its
 * middleware.
 *
 * Middleware would not do: changes by later middleware would not be signed, and once a request is
 * sent its body is gone, so a rejected request could not be replayed.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @throws AuthError from each call, as with {@link authFetch}.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { authOpenApi } from '@svc/auth-hooks/openapi-fetch'
 * import type { ObjectGroup } from '@svc/types'
 * import createClient from 'openapi-fetch'
 *
 * // As openapi-typescript generates it from an OpenAPI description.
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
export function authOpenApi(scheme: AuthScheme, options?: AuthFetchOptions): OpenApiAuth {
  return { fetch: authFetch(scheme, options) }
}
