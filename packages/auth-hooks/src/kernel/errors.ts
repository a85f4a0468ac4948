import { AuthError, type AuthErrorCode } from '../kit/errors.ts'

/** Returns an error of this package, with the status of the response that led to it, if any. */
export function hooksError(code: AuthErrorCode, description: string, status?: number): AuthError {
  return new AuthError(code, `[@svc/auth-hooks] ${description}`, { status })
}

export function bodyError(description: string): AuthError {
  return hooksError('ERR_AUTH_BODY', description)
}

export function headerError(description: string): AuthError {
  return hooksError('ERR_AUTH_HEADER', description)
}

export function urlError(description: string): AuthError {
  return hooksError('ERR_AUTH_URL', description)
}
