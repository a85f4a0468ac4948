/**
 * What can go wrong, as a stable code.
 *
 * | code | meaning |
 * |---|---|
 * | `ERR_AUTH_ORIGIN` | the scheme does not cover the URL; nothing was sent |
 * | `ERR_AUTH_URL` | the URL cannot be authenticated: userinfo, a dot segment, a signature already in it |
 * | `ERR_AUTH_HEADER` | a header cannot be sent or signed; the message names it |
 * | `ERR_AUTH_BODY` | the body cannot be read, signed or sent again where that is needed, or is not as long as announced |
 * | `ERR_AUTH_REDIRECT` | a redirect that was not followed; the message names the target's origin |
 * | `ERR_AUTH_CREDENTIALS` | the credentials, or what a provider of credentials gave, cannot be used |
 * | `ERR_AUTH_CRYPTO` | there is no Web Crypto to sign with, as in a page that is no secure context |
 * | `ERR_AUTH_LOGIN_REFUSED` | the login was answered with a status that is no success |
 * | `ERR_AUTH_LOGIN_REDIRECT` | the login was answered with a redirect, which is never followed |
 * | `ERR_AUTH_LOGIN_NOT_JSON` | the login's answer is no JSON object |
 * | `ERR_AUTH_LOGIN_NO_TOKEN` | the login's answer has no `Token` |
 * | `ERR_AUTH_LOGIN_BAD_TOKEN` | `Token` is no string, or one that cannot stand in a header |
 * | `ERR_AUTH_LOGIN_TOO_LARGE` | the login's answer is larger than 1 MiB |
 * | `ERR_AUTH_LOGIN_TIMEOUT` | the login was not answered in `loginTimeoutMs` |
 * | `ERR_AUTH_LOGIN_NETWORK` | the login could not be sent, or its answer broke off |
 */
export type AuthErrorCode =
  | 'ERR_AUTH_ORIGIN'
  | 'ERR_AUTH_URL'
  | 'ERR_AUTH_HEADER'
  | 'ERR_AUTH_BODY'
  | 'ERR_AUTH_REDIRECT'
  | 'ERR_AUTH_CREDENTIALS'
  | 'ERR_AUTH_CRYPTO'
  | 'ERR_AUTH_LOGIN_REFUSED'
  | 'ERR_AUTH_LOGIN_REDIRECT'
  | 'ERR_AUTH_LOGIN_NOT_JSON'
  | 'ERR_AUTH_LOGIN_NO_TOKEN'
  | 'ERR_AUTH_LOGIN_BAD_TOKEN'
  | 'ERR_AUTH_LOGIN_TOO_LARGE'
  | 'ERR_AUTH_LOGIN_TIMEOUT'
  | 'ERR_AUTH_LOGIN_NETWORK'

/** What an {@link AuthError} may carry beside its code and message. Nothing of it has a default. */
export interface AuthErrorOptions {
  /** The error that led to this one. */
  readonly cause?: unknown
  /** The status code that the service answered, where it is known. */
  readonly status?: number | undefined
  /** When it makes sense to try again, in epoch milliseconds, where it is known. */
  readonly retryAt?: number | undefined
}

// Packages are published apart, so two copies of this class may meet in one program.
const marker: unique symbol = Symbol.for('svc-auth.AuthError')

/**
 * The error of every package here. Its message names the package, the method, the origin and the
 * path, never a query, a header's value, a body or a credential.
 *
 * @example
 * import { AuthError, authFetch, type AuthScheme } from '@svc/auth-hooks'
 *
 * declare const auth: AuthScheme
 * try {
 *   await authFetch(auth)('https://search.example.com/user/groups')
 * } catch (error) {
 *   if (AuthError.is(error) && error.code === 'ERR_AUTH_LOGIN_REFUSED') console.error(error.status)
 *   else throw error
 * }
 */
export class AuthError extends Error {
  /** Always `AuthError`. */
  override readonly name = 'AuthError'
  /** What went wrong; stable across releases. */
  readonly code: AuthErrorCode
  /** The status code that the service answered, where it is known. */
  declare readonly status?: number
  /** When it makes sense to try again, in epoch milliseconds, where it is known. */
  declare readonly retryAt?: number

  /** For schemes of your own: the message must hold nothing that is secret. */
  constructor(code: AuthErrorCode, message: string, options: AuthErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    if (options.status !== undefined) this.status = options.status
    if (options.retryAt !== undefined) this.retryAt = options.retryAt
  }

  /** @internal */
  get [marker](): true {
    return true
  }

  /**
   * Whether a value is an `AuthError`, of this copy of the package or of another. `instanceof` knows
   * those of one copy alone.
   */
  static is(value: unknown): value is AuthError {
    return typeof value === 'object' && value !== null && marker in value
  }
}
