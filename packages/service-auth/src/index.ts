/**
 * Authenticates every request to the service: with a token below `/user`, with a signature everywhere else.
 *
 * @module @svc/service-auth
 */
export {
  AuthError,
  type AuthErrorCode,
  type AuthEvent,
  authFetch,
  authKy,
  authorizeRequest,
  type AuthScheme,
  type Fetch,
} from '@svc/auth-hooks'
export type { ApiKey, ApiKeyProvider, SigV4Auth, SigV4AuthOptions } from '@svc/auth-sigv4'
export {
  type CredentialsProvider,
  forgetSessions,
  type SharedTokenStore,
  type TokenAuth,
  type TokenAuthOptions,
  type UserCredentials,
} from '@svc/auth-token'
export {
  createServiceAuth,
  type ServiceAuth,
  type ServiceAuthOf,
  type ServiceAuthOptions,
} from './service-auth.ts'
