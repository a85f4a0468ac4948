import type { AuthScheme, Fetch } from '@svc/types'
import { authFetch, type AuthFetchOptions } from './auth-fetch.ts'

/** What {@link authOpenApi} gives to `createClient` of openapi-fetch. */
export interface AuthOpenApiOptions {
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
 * const client = createClient<paths>({ baseUrl, ...authOpenApi(auth) })
 * const { data, error } = await client.GET('/user/groups')
 * @see https://openapi-ts.dev/openapi-fetch/api#createclient
 */
export function authOpenApi(scheme: AuthScheme, options?: AuthFetchOptions): AuthOpenApiOptions {
  return { fetch: authFetch(scheme, options) }
}
