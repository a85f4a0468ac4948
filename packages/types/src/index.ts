/**
 * The types that the other packages share: what an auth scheme is, the events that it tells of, and
 * the resources of the service as they are on the wire. Nothing of it is there at run time.
 *
 * @module @svc/types
 */
export type { AuthEvent, AuthEventType } from './auth-event.ts'
export type {
  Authorization,
  AuthScheme,
  OutgoingBody,
  OutgoingRequest,
  ReadonlyHeaders,
  ResponseHead,
  RetryReason,
} from './auth-scheme.ts'
export type { Fetch } from './fetch.ts'
export type { LoginRequest, LoginResponse, ObjectGroup, Permission } from './resources.ts'
