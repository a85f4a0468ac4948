import { createEmulator, defaultUsers, type EmulatorOptions } from '@svc/emulator'
import type { AuthEvent } from '@svc/types'
import { onTestFinished } from 'vitest'
import { authFetch, createTokenAuth, type TokenAuth, type TokenAuthOptions } from '@svc/auth-token'
import { withCheapSeals } from './time.ts'

/** The primary user of the emulator. */
export const primary = {
  username: defaultUsers[0].username,
  password: defaultUsers[0].password,
}

/** A real service on loopback, and a session whose clock the test turns. */
export async function service(
  options: Partial<TokenAuthOptions> = {},
  emulatorOptions: EmulatorOptions = {},
) {
  // A JWT knows whole seconds only.
  const time = { now: Math.floor(Date.now() / 1000) * 1000 }
  const clock = withCheapSeals(() => time.now)
  const emulator = createEmulator({ clock, ...emulatorOptions })
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const events: AuthEvent[] = []
  /** A further session of the same user, as another process would have it. */
  const session = (own: Partial<TokenAuthOptions> = {}): TokenAuth =>
    createTokenAuth({
      baseUrl: server.url,
      credentials: primary,
      session: 'own',
      clock,
      random: () => 0,
      onEvent: (event) => events.push(event),
      ...options,
      ...own,
    })
  const auth = session()
  const base = server.url.origin
  const groups = `${base}/user/groups`
  return { emulator, server, base, groups, auth, time, events, fetch: authFetch(auth), session }
}

/** Counts the requests for a login, whether it gave a token or not. */
export function loginRequests({
  emulator,
}: {
  emulator: ReturnType<typeof createEmulator>
}): number {
  return emulator.requests.filter(({ path }) => path === '/user/login').length
}

/** Waits until something that goes on in the background has come about. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1))
}
