/**
 * Authenticates requests with Digest (RFC 7616): one challenge for any number of callers.
 *
 * @module @svc/auth-digest
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
export { createDigestAuth, type DigestAuth, type DigestReport } from './digest-auth.ts'
export type { DigestHashes, DigestHashName } from './hashes.ts'
export type { DigestAuthOptions, DigestCredentials } from './options.ts'
