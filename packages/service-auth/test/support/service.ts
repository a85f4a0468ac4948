import { forgetSessions } from '@svc/auth-token'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { createServiceAuth, type ServiceAuth, type ServiceAuthOptions } from '@svc/service-auth'
import { onTestFinished } from 'vitest'

const [{ username, password }] = defaultUsers
const [{ accessKeyId, secretAccessKey }] = defaultApiKeys

/** The primary user of the emulator. */
export const user = { username, password }
/** The key of the emulator. */
export const apiKey = { accessKeyId, secretAccessKey }

/** A real service on loopback, with all that it takes to send any request to it. */
export async function service(options: Partial<ServiceAuthOptions> = {}) {
  const emulator = createEmulator()
  const server = await emulator.listen()
  onTestFinished(async () => {
    await server.close()
    // The next one may have the same port.
    forgetSessions()
  })
  const baseUrl = server.url
  const make = (more: Partial<ServiceAuthOptions> = {}): ServiceAuth =>
    createServiceAuth({ baseUrl, region: 'us-east-1', user, apiKey, ...options, ...more })
  /** The requests that arrived: how each was authenticated, and if that was accepted. */
  const arrived = (): string[] =>
    emulator.requests.map(({ method, path, auth }) =>
      [method, path, auth.scheme, auth.ok ? 'ok' : 'rejected'].join(' '),
    )
  return { emulator, baseUrl, make, auth: make(), arrived }
}
