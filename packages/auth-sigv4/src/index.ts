/**
 * Signs requests with AWS Signature Version 4, creates presigned URLs, and explains a signature step by
 * step.
 *
 * @module @svc/auth-sigv4
 */
export { AuthError, authFetch, authKy } from '@svc/auth-hooks'
export type { ApiKey } from './credentials.ts'
export type { PathEncoding } from './canonical-request.ts'
export type { RepeatedParameters } from './canonical-query.ts'
export type { CredentialScope } from './engines/engine.ts'
export type { ApiKeyProvider } from './credentials.ts'
export type { ExplainOptions, Explanation } from './explain.ts'
export type { PayloadPolicy } from './payload.ts'
export type { PresignOptions } from './presign.ts'
export type { SigningEngine, SigningKey } from './engines/engine.ts'
export { createSigV4Auth, type SigV4Auth, type SigV4AuthOptions } from './sigv4-auth.ts'
export type { SignatureChain, StreamingPayload, WrappedPayload } from './payload.ts'
