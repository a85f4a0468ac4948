/**
 * Signs requests with AWS Signature Version 4.
 *
 * @module @svc/auth-sigv4
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
export type { RepeatedParameters } from './canonical-query.ts'
export type { PathEncoding } from './canonical-request.ts'
export type { ApiKey, ApiKeyContext, ApiKeyProvider } from './credentials.ts'
export type { CredentialScope, SigningEngine, SigningKey } from './engines/engine.ts'
export type { PayloadPolicy, SignatureChain, StreamingPayload, WrappedPayload } from './payload.ts'
export { createSigV4Auth, type SigV4Auth, type SigV4AuthOptions } from './sigv4-auth.ts'
