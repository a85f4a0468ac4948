/**
 * Token sessions: logs in when a token is first needed, shares that login among all callers, renews the
 * token before it expires, and logs in again if the service refuses it.
 *
 * @module @svc/auth-token
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
export { createTokenAuth, type TokenAuth } from './token-auth.ts'
export { forgetSessions } from './registry.ts'
export type { SessionReport } from './session.ts'
export type { TokenAuthOptions } from './options.ts'
export type { SharedTokenStore } from './token.ts'
export type { TokenLock, TokenRecord, TokenStore, TokenWrite } from './stores/store.ts'
export type { CredentialsProvider, UserCredentials } from './credentials.ts'
