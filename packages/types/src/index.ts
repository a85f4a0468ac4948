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
