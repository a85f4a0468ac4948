/**
 * The reason of a failure, as a stable code.
 *
 * | code | meaning |
 * |---|---|
 * | `ERR_AUTH_ORIGIN` | the scheme does not cover the URL; nothing was sent |
 * | `ERR_AUTH_URL` | the URL cannot be authenticated, such as one with userinfo, a dot segment or a signature |
 * | `ERR_AUTH_HEADER` | a header cannot be sent or signed; the message names it |
 * | `ERR_AUTH_BODY` | the body could not be read, signed or replayed as needed, or is not as long as announced |
 * | `ERR_AUTH_REDIRECT` | a redirect was not followed; the message says why |
 * | `ERR_AUTH_REQUEST` | a `Request` may hold a dispatcher or client that cannot be read, and cannot be sent without it |
 * | `ERR_AUTH_SCHEME` | a scheme returned no headers or a URL of another origin, or does not say what it covers; nothing was sent |
 * | `ERR_AUTH_CREDENTIALS` | the credentials, given or returned by a provider, cannot be used |
 * | `ERR_AUTH_CHALLENGE` | a challenge may not be answered, such as one with a weaker hash than before, or a server does not prove itself |
 * | `ERR_AUTH_CRYPTO` | there is no Web Crypto to sign with, as in a page that is not a secure context, or it lacks a hash |
 * | `ERR_AUTH_LOGIN_REFUSED` | the service responded to the login with a non-2xx status; `serverMessage` has its words |
 * | `ERR_AUTH_LOGIN_REDIRECT` | the service responded to the login with a redirect, which is never followed |
 * | `ERR_AUTH_LOGIN_NOT_JSON` | the login response is not JSON |
 * | `ERR_AUTH_LOGIN_NO_TOKEN` | the login response has no `Token` |
 * | `ERR_AUTH_LOGIN_BAD_TOKEN` | `Token` is not a string, or cannot be sent in a header |
 * | `ERR_AUTH_LOGIN_TOO_LARGE` | the login response is larger than 1 MiB |
 * | `ERR_AUTH_LOGIN_TIMEOUT` | the login took longer than `loginTimeoutMs`; the message says who did not respond |
 * | `ERR_AUTH_LOGIN_FAILED` | the login function of `createSessionAuth` threw an error with `transient: true`, or an OAuth server is not as it must be: see `cause` |
 * | `ERR_AUTH_REFRESH_LOST` | a refresh token was sent, and the response that had the next one is lost; it is not sent again |
 * | `ERR_AUTH_SIGN_IN_DENIED`, `…_TIMEOUT`, `…_FAILED`, `…_NEEDED` | the user denied the sign-in; did not sign in in time; could not, the message says why; has to, once the token at hand has run out |
 * | `ERR_AUTH_STORE` | the token store is away or lost a record, without which no refresh token is sent; if it stays so, sign in again |
 * | `ERR_AUTH_LOGIN_NETWORK` | the login could not be sent, or its response broke off; the message says why, if that is known |
 */
export type AuthErrorCode =
  | 'ERR_AUTH_ORIGIN'
  | 'ERR_AUTH_URL'
  | 'ERR_AUTH_HEADER'
  | 'ERR_AUTH_BODY'
  | 'ERR_AUTH_REDIRECT'
  | 'ERR_AUTH_REQUEST'
  | 'ERR_AUTH_SCHEME'
  | 'ERR_AUTH_CREDENTIALS'
  | 'ERR_AUTH_CHALLENGE'
  | 'ERR_AUTH_CRYPTO'
  | 'ERR_AUTH_LOGIN_REFUSED'
  | 'ERR_AUTH_LOGIN_REDIRECT'
  | 'ERR_AUTH_LOGIN_NOT_JSON'
  | 'ERR_AUTH_LOGIN_NO_TOKEN'
  | 'ERR_AUTH_LOGIN_BAD_TOKEN'
  | 'ERR_AUTH_LOGIN_TOO_LARGE'
  | 'ERR_AUTH_LOGIN_TIMEOUT'
  | 'ERR_AUTH_LOGIN_FAILED'
  | 'ERR_AUTH_LOGIN_NETWORK'
  | 'ERR_AUTH_REFRESH_LOST'
  | `ERR_AUTH_SIGN_IN_${'DENIED' | 'TIMEOUT' | 'FAILED' | 'NEEDED'}`
  | 'ERR_AUTH_STORE'

/** Facts that an {@link AuthError} may carry besides its code and message. There are no defaults. */
export interface AuthErrorOptions {
  /** The error that led to this one. */
  readonly cause?: unknown
  /** The status code of the service's response, if known. */
  readonly status?: number | undefined
  /** When it makes sense to try again, in epoch milliseconds, if known. */
  readonly retryAt?: number | undefined
  /** The service's own words, without control characters and credentials, if there are any. */
  readonly serverMessage?: string | undefined
}

// Packages are published apart, so two copies of this class may meet in one program.
const marker: unique symbol = Symbol.for('svc-auth.AuthError')

/**
 * The error class that all packages share. Its message may contain the method, origin and path of
 * the request, but never a query, header value, body or credential.
 *
 * @example
 * import { AuthError, authFetch, type AuthScheme } from '@svc/auth-hooks'
 *
 * declare const auth: AuthScheme
 * try {
 *   await authFetch(auth)('https://search.example.com/user/groups')
 * } catch (error) {
 *   if (AuthError.is(error) && error.code === 'ERR_AUTH_LOGIN_REFUSED') console.error(error.serverMessage)
 *   else throw error
 * }
 */
export class AuthError extends Error {
  /** Always `AuthError`. */
  override readonly name = 'AuthError'
  /** The reason of the failure; stable across releases. */
  readonly code: AuthErrorCode
  /** The status code of the service's response, if known. */
  declare readonly status?: number
  /** When it makes sense to try again, in epoch milliseconds, if known. */
  declare readonly retryAt?: number
  /**
   * The message of the service in its response to a failed login: one line of at most 500 characters, with
   * neither control characters nor a credential. It is text of somebody else's: escape it where you show it.
   */
  declare readonly serverMessage?: string

  /** For your own schemes. The message must not contain secrets. */
  constructor(code: AuthErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(message, options)
    this.code = code
    for (const name of ['status', 'retryAt', 'serverMessage'] as const) {
      const value = options[name]
      if (value !== undefined) Reflect.set(this, name, value)
    }
  }

  /** @internal */
  get [marker](): true {
    return true
  }

  /**
   * Returns `true` for an `AuthError` of this copy of the package or of another. `instanceof`
   * recognizes only those of one copy.
   */
  static is(value: unknown): value is AuthError {
    return marker in Object(value)
  }
}

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
