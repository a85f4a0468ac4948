// Stands in for the service and for the visitors of an example's server.
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import type { Emulator, EmulatorUser } from '@svc/emulator'

/** The emulator in place of the service. */
interface EmulatedService {
  readonly emulator: Emulator
  readonly close: () => Promise<void>
}

/** Starts the emulator, also with users of your own, and names it, its user and its key in the environment. */
export async function startService(own: readonly EmulatorUser[] = []): Promise<EmulatedService> {
  const emulator = createEmulator({ users: [...defaultUsers, ...own] })
  const server = await emulator.listen()
  const [{ username, password }] = defaultUsers
  const [{ accessKeyId, secretAccessKey }] = defaultApiKeys
  const environment = {
    SERVICE_URL: server.url.href,
    SERVICE_USERNAME: username,
    SERVICE_PASSWORD: password,
    SERVICE_ACCESS_KEY_ID: accessKeyId,
    SERVICE_SECRET_ACCESS_KEY: secretAccessKey,
  }
  Object.assign(process.env, environment)
  return { emulator, close: () => server.close() }
}

/** Visits two routes and a page at once, and then a route while nobody can log in. */
export async function visit(
  emulator: Emulator,
  get: (path: string) => Promise<Response>,
): Promise<void> {
  const responses = await Promise.all(['/api/groups', '/api/groups/count', '/'].map(get))
  for (const response of responses) console.log(response.status, await response.text())
  console.log(`${emulator.logins} login`)

  emulator.revokeTokens()
  emulator.fault({ path: '/user/login', status: 503 })
  const failed = await get('/api/groups')
  console.log(failed.status, await failed.text())
}
