import { authFetch, authKy } from '@svc/auth-hooks'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { createTokenAuth, type UserCredentials } from '@svc/auth-token'
import { defaultApiKeys } from '@svc/emulator'
import { createServiceRoutes } from '@svc/route-auth-selector'
import type { Authorization, Fetch } from '@svc/types'
import ky, { type KyInstance } from 'ky'
import { recordingScheme } from './recording-scheme.ts'

/** The two clients of one user; they share a scheme, and with it a session. */
export interface Clients {
  readonly fetch: Fetch
  readonly ky: KyInstance
}

/** `fetch` and ky for one user: tokens below `/user`, signatures everywhere else. */
export function createClients(
  baseUrl: URL,
  credentials: UserCredentials,
  record: (authorization: Authorization) => void,
): Clients {
  const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
  const auth = createServiceRoutes({
    baseUrl,
    token: createTokenAuth({ baseUrl, credentials }),
    sigv4: createSigV4Auth({
      baseUrl,
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey },
    }),
  })
  const scheme = recordingScheme(auth, record)
  return { fetch: authFetch(scheme), ky: ky.create({ prefix: baseUrl }).extend(authKy(scheme)) }
}
