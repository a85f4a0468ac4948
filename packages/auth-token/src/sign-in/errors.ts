import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'

/** The codes of a sign-in that did not come about, and of one that is no more. */
export type SignInCode = Extract<AuthErrorCode, `ERR_AUTH_SIGN_IN_${string}`>

/** Returns an error of a sign-in. Nothing of what was sent or received stands in it. */
export function signInError(
  code: SignInCode,
  what: string,
  options: AuthErrorOptions = {},
): AuthError {
  return new AuthError(code, `[@svc/auth-token] ${what}`, options)
}

export function signInFailed(what: string, options?: AuthErrorOptions): AuthError {
  return signInError('ERR_AUTH_SIGN_IN_FAILED', what, options)
}

/** Returns the error of a session whose sign-in is no more, or that has none yet. */
export function signInNeeded(what: string, status?: number): AuthError {
  return signInError('ERR_AUTH_SIGN_IN_NEEDED', `${what}: the user has to sign in`, { status })
}

/** Returns a code of OAuth for a message; anything else may hold what nobody expects. */
export function shownCode(code: unknown): string {
  return typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? code : 'an unknown error'
}
