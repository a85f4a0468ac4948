/**
 * A local stand-in for the service, for development and tests: it logs users in, verifies tokens and
 * signatures, keeps objects in memory, and fails on demand.
 *
 * @module @svc/emulator
 */
export { createEmulator, type Emulator } from './emulator.ts'
export type { Fault, FaultEffect, FaultMatch } from './http/faults.ts'
export type { RecordedAuth, RecordedRequest } from './http/recorder.ts'
export type { RawRequest } from './http/request.ts'
export type { InProcessFetch } from './in-process.ts'
export type { ListeningEmulator, ListenOptions } from './listen.ts'
export { defaultApiKeys, defaultUsers, type EmulatorOptions } from './options.ts'
export type { PlusInPath, RepeatedParameters } from './sigv4/canonical-request.ts'
export type { BodiesWithoutLength } from './sigv4/payload.ts'
export type {
  PayloadKind,
  Rejected,
  RejectionCode,
  Verification,
  Verified,
} from './sigv4/result.ts'
export type { EmulatorApiKey, VerifyOptions } from './sigv4/options.ts'
export { verifySigV4 } from './sigv4/verify.ts'
export type { EmulatorUser } from './user/tokens.ts'
