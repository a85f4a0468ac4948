import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'

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

/** Returns an error of the login, which says where it went and nothing that was in it. */
export function loginError(
  title: string,
  code: AuthErrorCode,
  what: string,
  options?: AuthErrorOptions,
): AuthError {
  return new AuthError(code, `[@svc/auth-token] ${title} ${what}`, options)
}
