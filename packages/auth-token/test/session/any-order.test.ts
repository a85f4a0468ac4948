import { createEmulator } from '@svc/emulator'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { authFetch, createTokenAuth, type SharedTokenStore } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { primary, until } from '../support/service.ts'
import { withCheapSeals } from '../support/time.ts'

const url = 'http://localhost/user/groups'

/** Events of two sessions that share a store, in any order and at any time. */
const happening = fc.oneof(
  fc.record({ kind: fc.constantFrom('request', 'token', 'upload', 'invalidate'), by: fc.nat(1) }),
  fc.record({ kind: fc.constant('abort'), by: fc.nat(1) }),
  fc.record({ kind: fc.constantFrom('revoke', 'store away', 'store back', 'settle') }),
  fc.record({ kind: fc.constant('login'), status: fc.constantFrom(0, 401, 403, 429, 503) }),
  fc.record({
    kind: fc.constant('time'),
    ms: fc.constantFrom(1, 1000, 31_000, 85_900_000, -60_000),
  }),
)

test('a session recovers from anything, and no rejection goes unhandled', async () => {
  const unhandled: unknown[] = []
  const collect = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', collect)
  const property = fc.asyncProperty(
    fc.array(happening, { maxLength: 40 }),
    fc.boolean(),
    async (happenings, isShared) => {
      let now = 1_800_000_000_000
      let isAway = false
      const clock = withCheapSeals(() => now)
      const emulator = createEmulator({ clock })
      const memory = memoryTokenStore(clock)
      const store: SharedTokenStore = {
        ...memory,
        get: async (key) => (isAway ? Promise.reject(new Error('away')) : memory.get(key)),
      }
      const sessions = [0, 1].map(() =>
        createTokenAuth({
          baseUrl: 'http://localhost',
          credentials: primary,
          fetch: emulator.fetch,
          clock,
          ...(isShared && { store }),
        }),
      )
      const fetches = sessions.map((session) => authFetch(session, { fetch: emulator.fetch }))
      const pending: Promise<unknown>[] = []
      let fault = { clear: (): void => {} }

      for (const step of happenings) {
        const by = 'by' in step ? step.by : 0
        const begin = (signal?: AbortSignal): Promise<unknown> | undefined =>
          fetches[by]?.(url, { signal: signal ?? null })
        if (step.kind === 'request') pending.push(begin() ?? Promise.resolve())
        if (step.kind === 'token') pending.push(sessions[by]?.getToken() ?? Promise.resolve())
        if (step.kind === 'invalidate') void sessions[by]?.invalidate()
        if (step.kind === 'revoke') emulator.revokeTokens()
        if (step.kind === 'store away') isAway = true
        if (step.kind === 'store back') isAway = false
        if (step.kind === 'settle') await Promise.allSettled(pending)
        if (step.kind === 'time' && 'ms' in step) now += step.ms
        if (step.kind === 'upload') {
          const init: RequestInit & { duplex: 'half' } = {
            method: 'POST',
            body: new Blob(['sent once']).stream(),
            duplex: 'half',
          }
          pending.push(fetches[by]?.(url, init) ?? Promise.resolve())
        }
        if (step.kind === 'abort') {
          const controller = new AbortController()
          pending.push(begin(controller.signal) ?? Promise.resolve())
          await Promise.resolve()
          controller.abort(new Error('gives up'))
        }
        if (step.kind === 'login' && 'status' in step) {
          fault.clear()
          if (step.status > 0) fault = emulator.fault({ path: '/user/login', status: step.status })
        }
        for (const promise of pending) promise.catch(() => {})
        await new Promise(setImmediate)
      }

      await Promise.allSettled(pending)
      // A login goes on although all who waited for it have left.
      await until(() => sessions.every((session) => session.inspect().state !== 'logging-in'))
      fault.clear()
      isAway = false
      now += 16 * 60_000
      for (const send of fetches) {
        // Sessions that share nothing end each other's tokens, and one that did not help is held.
        let status = (await send(url)).status
        for (let attempt = 0; attempt < 3 && status !== 200; attempt += 1) {
          now += 31_000
          status = (await send(url)).status
        }
        expect(status).toBe(200)
        expect((await send(url)).status).toBe(200)
      }
    },
  )
  await fc.assert(property, { numRuns: isNightly ? 300 : 50 })
  await new Promise(setImmediate)
  process.off('unhandledRejection', collect)
  expect(unhandled).toEqual([])
})
