/**
 * Authenticates the requests of openapi-fetch. Needs `openapi-fetch`.
 *
 * @module @svc/auth-hooks/openapi-fetch
 */
import { holdStream, rememberDispatcher } from '#platform'
import type { AuthScheme, Fetch } from '@svc/types'
import { isRequest } from '../kit/checks.ts'
import { assertPlain, noteAuthenticating } from '../kit/nested.ts'
import { authFetchFor, type FetchAdapterOptions, fetchAdapterNames } from './auth-fetch.ts'

/** Options that {@link authOpenApi} returns for `createClient` of openapi-fetch. */
export interface OpenApiAuth {
  /** Authenticates requests, as `authFetch` does. */
  fetch: Fetch
  /** Makes requests of which `fetch` knows the `dispatcher`. */
  Request: typeof Request
}

/**
 * Options that make an openapi-fetch client authenticate every request, after all of its
 * middleware.
 *
 * Middleware would not do: changes by later middleware would not be signed, and once a request is
 * sent its body is gone, so a rejected request could not be replayed.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @throws AuthError from each call, as with `authFetch`.
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
export function authOpenApi(scheme: AuthScheme, options: FetchAdapterOptions = {}): OpenApiAuth {
  const caller = '[@svc/auth-hooks] authOpenApi'
  const fetch = authFetchFor(caller, scheme, options, {
    names: fetchAdapterNames,
    hint: '; those of openapi-fetch, such as baseUrl, go to createClient',
  })
  assertPlain(options.fetch, 'fetch', caller)
  return {
    fetch: noteAuthenticating(fetch),
    Request: knownRequestClass(),
  }
}

/** Returns a class of requests that are remembered with their dispatcher. */
function knownRequestClass(): typeof Request {
  return class extends globalThis.Request {
    constructor(
      input: RequestInfo | URL,
      init?: RequestInit & { dispatcher?: unknown; client?: unknown },
    ) {
      holdStream(init?.body)
      super(input, init)
      if (!isRequest(input)) rememberDispatcher(this, init)
    }

    /** Middleware makes requests of the global class, and openapi-fetch asks for this one. */
    static override [Symbol.hasInstance](value: unknown): boolean {
      return isRequest(value)
    }
  }
}
