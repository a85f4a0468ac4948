import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import type { SessionSettings } from '../session/session-options.ts'

/** A login that is under way, for the error of one that takes too long. */
export interface LoginProgress {
  /** The side that has to take the next step. */
  waitsFor: 'credentials' | 'store' | 'service'
  /** The failure that the head of the response tells, while its body is read. */
  failure?: AuthError
}

/** Returns the error of a login whose response has no token. */
export function loginRefused(
  title: string,
  code: AuthErrorCode,
  options: AuthErrorOptions,
): AuthError {
  const reason =
    options.serverMessage === undefined ? '' : '; read error.serverMessage for the reason'
  const { status } = options
  const what = status === undefined ? 'failed' : `returned status ${status}`
  return loginError(title, code, `${what}${reason}`, options)
}

/** Returns the error of a login that is not over in time: what the service said so far, or who is late. */
export function loginTimeout(
  { title, loginTimeoutMs }: Pick<SessionSettings, 'loginTimeoutMs' | 'title'>,
  { waitsFor, failure }: LoginProgress,
): AuthError {
  const limit = `within ${loginTimeoutMs} ms (loginTimeoutMs)`
  const what = waitsFor === 'service' ? 'got no response' : 'was not sent'
  const who =
    waitsFor === 'credentials'
      ? 'credentials function did not return'
      : `${waitsFor} did not respond`
  return failure ?? loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', `${what} ${limit}: the ${who}`)
}

/** Returns an error of the login, which says where it went and nothing that was in it. */
export function loginError(
  title: string,
  code: AuthErrorCode,
  what: string,
  options?: AuthErrorOptions,
): AuthError {
  return new AuthError(code, `[@svc/auth-token] ${title} ${what}`, options)
}
