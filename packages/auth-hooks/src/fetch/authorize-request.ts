import type { AuthScheme } from '@svc/types'
import { claimStream, releaseRequest } from '#platform'
import { authorize } from '../kernel/exchange.ts'
import { releaseStream } from '../kernel/stream.ts'
import type { UploadStream } from '../kernel/upload.ts'
import { assertScheme, isRequest } from '../kit/checks.ts'
import { fetchArguments } from './fetch-arguments.ts'
import { cloneRequest, readFetchRequest } from './request.ts'

/**
 * Returns the authorized `Request` without sending it, for anything that accepts a `Request`.
 *
 * It has `redirect: 'manual'`, so that no credential follows a redirect, and it is not authorized
 * again if the service rejects it. {@link authFetch} handles both. The scheme hears of no response: one
 * that waits for it, as Digest does for its first, holds other callers up, so send a request first. A
 * `Request` passed as `input` is cloned and stays usable.
 *
 * @throws TypeError if `scheme` is not a scheme.
 * @throws AuthError `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`, and
 * the errors of the scheme.
 * @example
 * import { authorizeRequest, type AuthScheme } from '@svc/auth-hooks'
 *
 * declare const auth: AuthScheme
 * const request = await authorizeRequest(auth, 'https://search.example.com/V1/report.csv')
 * const reports = await caches.open('reports')
 * await reports.add(request)
 * @see https://fetch.spec.whatwg.org/#request-class
 */
export async function authorizeRequest(
  scheme: AuthScheme,
  input: string | URL | Request,
  init?: RequestInit,
): Promise<Request> {
  const caller = '[@svc/auth-hooks] authorizeRequest'
  assertScheme(scheme, caller, 'scheme')
  claimStream(init?.body)
  const copy = cloneRequest(input, init)
  let upload: UploadStream | undefined
  try {
    const request = await readFetchRequest({ caller, scheme }, copy, init)
    const authorization = await authorize(scheme, request, { attempt: 1, reason: 'initial' })
    const sent = fetchArguments(request, authorization, { rebuildRequests: false })
    upload = sent.upload
    return new Request(sent.input, sent.init)
  } catch (error) {
    upload?.abort(error)
    releaseStream(init?.body, error)
    if (isRequest(copy) && copy !== input) releaseRequest(copy, error)
    throw error
  }
}
