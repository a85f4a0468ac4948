import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'

/**
 * Returns an error of a login, which says where it went and nothing that was in it.
 *
 * @param what - By default, that the response has no token.
 */
export function loginError(
  title: string,
  code: AuthErrorCode,
  what?: string,
  options: AuthErrorOptions = {},
): AuthError {
  const { serverMessage, status } = options
  const failed = status === undefined ? 'failed' : `returned status ${status}`
  const reason = serverMessage === undefined ? '' : '; read error.serverMessage for the reason'
  return new AuthError(code, `[@svc/auth-token] ${title} ${what ?? failed + reason}`, options)
}
