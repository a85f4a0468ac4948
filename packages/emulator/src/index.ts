/**
 * A local stand-in for the service, for development and tests: it logs users in, verifies tokens and
 * signatures, keeps objects in memory, and fails on demand.
 *
 * @module @svc/emulator
 */
export type { EmulatorApiKey } from './sigv4/verify.ts'
export type { RepeatedParameters } from './sigv4/canonical-request.ts'
export { defaultApiKeys, defaultUsers } from './options.ts'
export type { EmulatorOptions } from './options.ts'
export { createEmulator, type Emulator } from './emulator.ts'
export type { Fault, FaultEffect, FaultMatch } from './http/faults.ts'
export type { InProcessFetch } from './in-process.ts'
export type { ListeningEmulator, ListenOptions } from './listen.ts'
export type { RawRequest } from './http/request.ts'
export type { RecordedAuth, RecordedRequest } from './http/recorder.ts'
export type { EmulatorUser } from './options.ts'
export type { PayloadKind, RefusalCode, Refused, Verification, Verified } from './sigv4/result.ts'
export { verifySigV4, type VerifyOptions } from './sigv4/verify.ts'
