import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'

/** Returns an error of a login, which says where it went and what happened, and nothing that was in it. */
export function loginError(
  title: string,
  code: AuthErrorCode,
  what: string,
  options: AuthErrorOptions = {},
): AuthError {
  return new AuthError(code, `[@svc/auth-token] ${title} ${what}`, options)
}

export const isMissing = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 429

/** Returns the error of a refused login, which says its status, if there was a response. */
export function refusal(title: string, code: AuthErrorCode, options: AuthErrorOptions): AuthError {
  const { serverMessage, status } = options
  const hint = { 401: 'credentials', 403: 'credentials and URL', 404: 'the URL' }[status ?? 0]
  const advice = hint ? `: check ${hint}` : Number(status) >= 500 ? ': try again later' : ''
  const failed = status === undefined ? 'failed' : `returned status ${status}${advice}`
  const reason = serverMessage === undefined ? '' : '; read error.serverMessage for the reason'
  return loginError(title, code, failed + reason, options)
}
