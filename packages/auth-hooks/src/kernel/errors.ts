import { AuthError } from '../kit/errors.ts'

/** Returns the error of a body that cannot be read, sent or sent again. */
export function bodyError(description: string): AuthError {
  return new AuthError('ERR_AUTH_BODY', `[@svc/auth-hooks] ${description}`)
}

/** Returns the error of a header that cannot be sent. */
export function headerError(description: string): AuthError {
  return new AuthError('ERR_AUTH_HEADER', `[@svc/auth-hooks] ${description}`)
}

/** Returns the error of a URL that cannot be authenticated. */
export function urlError(description: string): AuthError {
  return new AuthError('ERR_AUTH_URL', `[@svc/auth-hooks] ${description}`)
}
