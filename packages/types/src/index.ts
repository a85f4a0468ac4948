/**
 * The types the other packages share: auth schemes, their events and traces, and the resources of the service
 * as they appear on the wire. No code at run time.
 *
 * @module @svc/types
 */
export type { AuthEvent, AuthEventType } from './events.ts'
export type { AuthTrace, LoginTrace, LoginWait, RequestTrace } from './traces.ts'
export type {
  Authorization,
  AuthScheme,
  Fetch,
  OutgoingBody,
  OutgoingRequest,
  ReadonlyHeaders,
  ResponseHead,
  RetryReason,
} from './scheme.ts'
export type { LoginRequest, LoginResponse, ObjectGroup, Permission } from './resources.ts'
