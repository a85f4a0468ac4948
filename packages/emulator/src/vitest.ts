/**
 * The emulator as a fixture of Vitest. Needs `vitest` 4 or later.
 *
 * @module @svc/emulator/vitest
 */
import { type TestAPI, test as base } from 'vitest'
import { createEmulator, type Emulator } from './emulator.ts'
import { forgetSessions } from './forget-sessions.ts'
import type { ListeningEmulator } from './listen.ts'
import type { EmulatorOptions } from './options.ts'

/** What a test can take as its arguments. */
export interface EmulatorFixtures {
  /**
   * Options of the emulators: `test.extend({ emulatorOptions: { users } })` is a `test` that has them.
   * @default `{}`
   */
  emulatorOptions: EmulatorOptions
  /** An emulator of this test's own. */
  emulator: Emulator
  /** The address at which this test's emulator listens, on loopback, until the test ends. */
  service: ListeningEmulator
}

/** Tests with an emulator that run now: they may run at the same time. */
let running = 0

/**
 * The `test` of Vitest with an emulator for each test that asks for one. The sessions of the clients are forgotten
 * when no such test runs any more, since the emulator of a later one may have the same address.
 *
 * @example
 * import { authFetch, createTokenAuth } from '@svc/auth-token'
 * import { defaultUsers } from '@svc/emulator'
 * import { test } from '@svc/emulator/vitest'
 * import { expect } from 'vitest'
 *
 * test('groups are listed', async ({ emulator, service: { baseUrl } }) => {
 *   const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0] })
 *   const response = await authFetch(auth, { baseUrl })('/user/groups')
 *   expect([response.status, emulator.logins]).toEqual([200, 1])
 * })
 * @see https://vitest.dev/guide/test-context
 */
export const test: TestAPI<EmulatorFixtures> = base.extend<EmulatorFixtures>({
  emulatorOptions: {},
  emulator: async ({ emulatorOptions }, use) => {
    // Throws where an option is wrong: that test never runs.
    const emulator = createEmulator(emulatorOptions)
    running += 1
    await use(emulator)
    running -= 1
    if (running === 0) forgetSessions()
  },
  service: async ({ emulator }, use) => {
    const server = await emulator.listen()
    await use(server)
    await server.close()
  },
})
