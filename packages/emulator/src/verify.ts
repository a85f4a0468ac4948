/**
 * Verifies a signature before the body has arrived, and the body piece by piece, for proxies and servers that
 * pass it on.
 *
 * @module @svc/emulator/verify
 */
export type { RawRequestHead } from './http/request.ts'
export type { ClaimForm, PlusInPath, RepeatedParameters } from './sigv4/canonical-request.ts'
export { type OpenedSigV4, type OpenOptions, openSigV4 } from './sigv4/open.ts'
export type { EmulatorApiKey, VerifyOptions } from './sigv4/options.ts'
export type { BodiesWithoutLength, BodyVerifier } from './sigv4/payload.ts'
export type { PayloadKind, Rejected, RejectionCode } from './sigv4/result.ts'
