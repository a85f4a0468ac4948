import { createSigV4Auth, type SigV4Auth, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { createTokenAuth, type TokenAuth, type TokenAuthOptions } from '@svc/auth-token'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'
import { secrets } from './secrets.ts'

/** A session of a user whose password is one of the secrets. */
export function tokenAuth(baseUrl: string, options: Partial<TokenAuthOptions> = {}): TokenAuth {
  return createTokenAuth({
    baseUrl,
    credentials: { username: 'reader', password: secrets.password, parentUid: 'tenant-0001' },
    // Another service may have the address of the one before.
    session: 'own',
    ...options,
  })
}

/** A signer whose key and session token are secrets. */
export function sigV4Auth(baseUrl: string, options: Partial<SigV4AuthOptions> = {}): SigV4Auth {
  return createSigV4Auth({
    baseUrl,
    region: 'us-east-1',
    credentials: {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: secrets.secretAccessKey,
      sessionToken: secrets.sessionToken,
    },
    ...options,
  })
}

/** A scheme of a user's own: a key in a header. */
export function apiKeyAuth(baseUrl: string): AuthScheme {
  return {
    name: 'api-key',
    covers: (url) => url.origin === new URL(baseUrl).origin,
    authorize: () => ({ scheme: 'api-key', headers: [['x-api-key', secrets.apiKeyHeader]] }),
  }
}

/** Token and signature, by the table of the service. */
export function serviceAuth(baseUrl: string, options: Partial<TokenAuthOptions> = {}): AuthScheme {
  const token = tokenAuth(baseUrl, options)
  return createServiceRoutes({ baseUrl, token, sigv4: sigV4Auth(baseUrl) })
}
