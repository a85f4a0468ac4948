import { AuthError } from '@svc/auth-token'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { demandingServer } from './support/demanding-server.ts'

const names = ['a', 'b', 'c', 'd']
const scope = fc.subarray(names, { minLength: 1 }).map((some) => some.join(' '))
const demand = fc.oneof(
  scope.map((some) => `Bearer error="insufficient_scope", scope="${some}"`),
  scope.map((some) => `Bearer error="insufficient_user_authentication", acr_values="${some}"`),
  fc.nat(400).map((age) => `Bearer error="insufficient_user_authentication", max_age="${age}"`),
  scope.map((some) => `Bearer error="insufficient_claims", claims="${btoa(`{"${some}":1}`)}"`),
  fc.constant('Bearer error="invalid_token"'),
  fc.constant('Basic realm="a"'),
  fc.string({ maxLength: 20 }).map((text) => `Bearer error="insufficient_scope", scope="${text}"`),
)
/** What the server responds with: mostly 200. */
const response = fc.oneof(
  { weight: 2, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.record({ status: fc.constantFrom(401, 403), challenge: demand }) },
)
const step = fc.record({
  /** The calls at the same time. */
  calls: fc.integer({ min: 1, max: 6 }),
  responses: fc.array(response, { minLength: 1, maxLength: 6 }),
  abortsOne: fc.boolean(),
  streams: fc.boolean(),
  isDenied: fc.boolean(),
  invalidates: fc.boolean(),
  passesMs: fc.constantFrom(0, 0, 1000, 60_000, 700_000, 4_000_000),
})

test('no server causes a loop, a call without an end, an untyped error, or logins without an end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const server = await demandingServer()
      const { auth, logins, seen, send, time, world } = server
      const unhandled: unknown[] = []
      const note = (reason: unknown): number => unhandled.push(reason)
      process.on('unhandledRejection', note)
      for (const each of steps) {
        const { calls, responses, abortsOne, streams, isDenied, invalidates, passesMs } = each
        let at = 0
        world.rule = () => responses[(at += 1) % responses.length]
        world.grant = () => {
          if (isDenied) throw new Error('denied')
        }
        const [sentBefore, loginsBefore] = [seen.length, logins.length]
        const ended = Array.from({ length: calls }, async (_, index) => {
          const controller = new AbortController()
          const body = streams && index % 2 ? new Blob(['a body']).stream() : null
          const init = { method: 'POST', signal: controller.signal, duplex: 'half', body } as const
          if (abortsOne && index === 0) setTimeout(() => controller.abort(new Error('gone')), 4)
          try {
            return (await send(`/${index}`, init)).status
          } catch (error) {
            if (controller.signal.aborted) return 'aborted'
            if (!AuthError.is(error)) throw error
            return error.code
          }
        })
        for (const outcome of await Promise.all(ended)) {
          expect(`${outcome}`).toMatch(/^(?:200|401|403|aborted|ERR_AUTH_[A-Z_]+)$/)
        }
        // One for a token that was refused, and one for the step-up before and after that.
        expect(seen.length - sentBefore).toBeLessThanOrEqual(4 * calls)
        expect(logins.length - loginsBefore).toBeLessThanOrEqual(3 * calls + 1)
        if (invalidates) await auth.invalidate()
        time.now += passesMs
      }
      time.now += 4_000_000
      world.rule = () => undefined
      world.grant = () => undefined
      expect((await send('/last')).status).toBe(200)
      process.off('unhandledRejection', note)
      expect(unhandled).toEqual([])
    }),
    { numRuns: isNightly ? 1000 : 60 },
  )
})
