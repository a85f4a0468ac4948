import type * as hooks from '@svc/auth-hooks'
import {
  type ApiKey,
  type ApiKeyProvider,
  AuthError,
  type AuthErrorCode,
  type AuthEvent,
  authFetch,
  authKy,
  authorizeRequest,
  type AuthScheme,
  type Fetch,
} from '@svc/auth-sigv4'

declare const scheme: AuthScheme

// One install has all that a caller names, and it is the same as that of the hooks.
export const same: hooks.AuthScheme = scheme
export const serviceFetch: Fetch = authFetch(scheme, { fetch: (input) => fetch(input) })
export const options: hooks.KyAuth = authKy(scheme)
export const request: Promise<Request> = authorizeRequest(scheme, 'https://a.example')
export const report = (event: AuthEvent): hooks.AuthEvent['type'] => event.type
export const codeOf = (error: unknown): AuthErrorCode | undefined =>
  AuthError.is(error) ? error.code : undefined

export const providers: readonly ApiKeyProvider[] = [
  { accessKeyId: 'a', secretAccessKey: 'b', expiration: new Date() },
  () => ({ accessKeyId: 'a', secretAccessKey: 'b', expiresAt: 1 }),
  async ({ signal } = {}) => {
    const response = await fetch('https://a.example/key', { signal: signal ?? null })
    return (await response.json()) as ApiKey
  },
  // @ts-expect-error -- an end in text is none
  { accessKeyId: 'a', secretAccessKey: 'b', expiration: '2030-01-01T00:00:00Z' },
]
