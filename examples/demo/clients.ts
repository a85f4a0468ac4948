import { defaultApiKeys } from '@svc/emulator'
import { authFetch, authKy, createServiceAuth, type UserCredentials } from '@svc/service-auth'
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
  const auth = createServiceAuth({
    baseUrl,
    region: 'us-east-1',
    user: credentials,
    apiKey: { accessKeyId, secretAccessKey },
  })
  const scheme = recordingScheme(auth, record)
  return { fetch: authFetch(scheme), ky: ky.create({ prefix: baseUrl }).extend(authKy(scheme)) }
}
