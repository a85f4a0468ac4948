import { AuthError, type AuthErrorCode } from '@svc/auth-hooks'
import type { OutgoingRequest } from '@svc/types'

/** The line of a request that messages name. */
export type RequestLine = Pick<OutgoingRequest, 'method' | 'url'>

/**
 * Returns the error of a request that is not signed.
 *
 * @param problem - The rest of the sentence that begins with the request line.
 */
export function requestError(
  code: AuthErrorCode,
  { method, url }: RequestLine,
  problem: string,
): AuthError {
  return new AuthError(code, `[@svc/auth-sigv4] ${method} ${url.origin}${url.pathname}${problem}`)
}
