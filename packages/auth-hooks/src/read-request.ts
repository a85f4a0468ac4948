/**
 * Reads the arguments of `fetch` as a scheme sees them, for tools that inspect requests.
 *
 * @module @svc/auth-hooks/read-request
 */
import type { AuthScheme, OutgoingRequest } from '@svc/types'
import { assertScheme } from './kit/checks.ts'
import { cloneRequest, readFetchRequest } from './fetch/request.ts'
import { toOutgoingRequest } from './kernel/request.ts'

/**
 * Reads the arguments of `fetch` as a scheme sees them. A `Request` is cloned and stays usable.
 *
 * @throws TypeError if `scheme` is not a scheme.
 * @throws AuthError `ERR_AUTH_ORIGIN` if the scheme does not cover the URL, `ERR_AUTH_URL`,
 * `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`.
 * @example
 * import { readRequest } from '@svc/auth-hooks/read-request'
 * import { anonymous } from '@svc/route-auth-selector'
 *
 * const init = { method: 'POST', body: new URLSearchParams({ query: 'news' }) }
 * const { method, body } = await readRequest(anonymous(), 'https://search.example.com/V1/', init)
 * console.log(method, body?.size) // POST 10
 * @see https://fetch.spec.whatwg.org/#dom-request
 */
export async function readRequest(
  scheme: AuthScheme,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<OutgoingRequest> {
  const caller = '[@svc/auth-hooks] readRequest'
  assertScheme(scheme, caller, 'scheme')
  return toOutgoingRequest(
    await readFetchRequest({ caller, scheme }, cloneRequest(input, init), init),
    { attempt: 1, reason: 'initial' },
  )
}
