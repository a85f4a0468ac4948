import { authFetch, forgetSessions, type TokenAuth } from '@svc/auth-token'
import { createEmulator, type Emulator, type EmulatorOptions } from '@svc/emulator'
import type { Fetch } from '@svc/types'
import type { BatteryLogin, BatteryOptions } from './login.ts'

/** A service on loopback, and a session with it. */
export interface BatteryService {
  readonly emulator: Emulator
  readonly auth: TokenAuth
  readonly fetch: Fetch
  readonly groups: URL
  /** The number of requests for a login, whether they got a token or not. */
  readonly loginRequests: () => number
}

/** Runs an action with a service of its own. */
export type WithService = <T>(
  action: (service: BatteryService) => Promise<T>,
  options?: BatteryOptions,
  emulatorOptions?: EmulatorOptions,
) => Promise<T>

/** Returns the function that runs an action with a service of this login. */
export function withServiceOf({ createAuth, listen }: BatteryLogin): WithService {
  return async (action, options = {}, emulatorOptions = {}) => {
    const emulator = createEmulator(emulatorOptions)
    const server = await listen(emulator)
    try {
      const auth = createAuth(server.url, options)
      const groups = new URL('/user/groups', server.url)
      return await action({
        emulator,
        auth,
        fetch: authFetch(auth),
        groups,
        loginRequests: () => emulator.requests.filter(({ path }) => path === '/user/login').length,
      })
    } finally {
      forgetSessions()
      await server.close()
    }
  }
}

/** Counts the responses with status 200. */
export async function succeeded(responses: readonly Promise<Response>[]): Promise<number> {
  const results = await Promise.allSettled(responses)
  return results.filter((result) => result.status === 'fulfilled' && result.value.status === 200)
    .length
}

/** `1 login`, `2 logins`. */
export function logins(count: number): string {
  return count === 1 ? '1 login' : `${count} logins`
}
