/**
 * Runs an auth scheme inside `fetch`, ky and anything that accepts a `fetch`. axios, got, undici
 * and openapi-fetch have their own entries.
 *
 * @module @svc/auth-hooks
 */
export { AuthError, type AuthErrorCode, type AuthErrorOptions } from './kit/errors.ts'
export { authFetch, type AuthFetchOptions, type FetchAdapterOptions } from './fetch/auth-fetch.ts'
export { authKy, type KyAuth } from './fetch/ky.ts'
export { authorizeRequest } from './fetch/authorize-request.ts'
export { kyAuthHooks, type KyAuthHooks, type KyAuthHooksOptions } from './fetch/ky-hooks.ts'
export { Secret } from './kit/secret.ts'
export type {
  AuthEvent,
  Authorization,
  AuthScheme,
  AuthTrace,
  Fetch,
  LoginTrace,
  LoginWait,
  OutgoingBody,
  OutgoingRequest,
  RequestTrace,
  ResponseHead,
  RetryReason,
} from '@svc/types'
