import type * as hooks from '@svc/auth-hooks'
import {
  AuthError,
  type AuthErrorCode,
  type AuthEvent,
  authFetch,
  authKy,
  authorizeRequest,
  type AuthScheme,
  type Fetch,
} from '@svc/route-auth-selector'

declare const scheme: AuthScheme

// One install has all that a caller names, and it is the same as that of the hooks.
export const same: hooks.AuthScheme = scheme
export const serviceFetch: Fetch = authFetch(scheme, { fetch: (input) => fetch(input) })
export const options: hooks.KyAuth = authKy(scheme)
export const request: Promise<Request> = authorizeRequest(scheme, 'https://a.example')
export const report = (event: AuthEvent): hooks.AuthEvent['type'] => event.type
export const codeOf = (error: unknown): AuthErrorCode | undefined =>
  AuthError.is(error) ? error.code : undefined
