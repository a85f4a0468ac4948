/**
 * Runs an auth scheme inside `fetch`, ky and anything that accepts a `fetch`. axios, got, undici
 * and openapi-fetch have their own entries.
 *
 * @module @svc/auth-hooks
 */
export { AuthError, type AuthErrorCode, type AuthErrorOptions } from './auth-error.ts'
export { authFetch, type AuthFetchOptions } from './auth-fetch.ts'
export { authKy, type AuthKyOptions } from './auth-ky.ts'
export { authorizeRequest } from './authorize-request.ts'
export { kyAuthHooks, type KyAuthHooks, type KyAuthHooksOptions } from './ky-auth-hooks.ts'
export { Secret } from './secret.ts'
export type {
  AuthEvent,
  Authorization,
  AuthScheme,
  Fetch,
  OutgoingBody,
  OutgoingRequest,
  ResponseHead,
  RetryReason,
} from '@svc/types'
