import { AuthError } from '../kit/errors.ts'

export function bodyError(description: string): AuthError {
  return new AuthError('ERR_AUTH_BODY', `[@svc/auth-hooks] ${description}`)
}

export function headerError(description: string): AuthError {
  return new AuthError('ERR_AUTH_HEADER', `[@svc/auth-hooks] ${description}`)
}

export function urlError(description: string): AuthError {
  return new AuthError('ERR_AUTH_URL', `[@svc/auth-hooks] ${description}`)
}
