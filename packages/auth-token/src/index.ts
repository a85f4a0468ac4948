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
export { createSessionAuth, type SessionAuthOptions } from './session-auth.ts'
export type { LoginContext, LoginResult } from './login/login-function.ts'
export { tokenLifetime } from './login/token-lifetime.ts'
export { serviceLifetimeMs } from './login/service-login.ts'
export { createTokenAuth, type TokenAuthOptions } from './token-auth.ts'
export type { RequestFacts, TokenAuth } from './session-scheme.ts'
export { forgetSessions } from './registry.ts'
export type { SessionReport } from './session/session.ts'
export type { SessionOptions } from './session/session-options.ts'
export type { SharedTokenStore } from './token.ts'
export type { TokenLock, TokenRecord, TokenStore, TokenWrite } from './stores/store.ts'
export type { CredentialsProvider, UserCredentials } from './credentials.ts'
