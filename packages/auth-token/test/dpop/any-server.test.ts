import { AuthError } from '@svc/auth-hooks'
import { authFetch } from '@svc/auth-token'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { serve } from '../../../auth-hooks/test/support/server.ts'
import { turnedTime } from '../support/time.ts'
import { boundService } from './support/sessions.ts'

const refusal = fc.constantFrom(
  'DPoP error="use_dpop_nonce"',
  'DPoP error="invalid_dpop_proof"',
  'DPoP error="invalid_token"',
  'DPoP error="use_dpop_nonce", DPoP error="invalid_dpop_proof"',
  'Bearer error="use_dpop_nonce"',
)
const nonce = fc.option(fc.constantFrom('a', 'b', 'c', 'a b', ''), { nil: undefined })
/** The time by which the clock of the server is ahead, in minutes. */
const skew = fc.constantFrom(0, 0, 10, -600)
const response = fc.oneof(
  { weight: 2, arbitrary: fc.record({ status: fc.constant(200), nonce }) },
  { weight: 4, arbitrary: fc.record({ status: fc.constant(401), refusal, nonce, skew }) },
  { weight: 1, arbitrary: fc.record({ status: fc.constant(307), nonce }) },
  { weight: 1, arbitrary: fc.record({ status: fc.constantFrom(400, 403, 503), refusal, nonce }) },
)
const step = fc.record({
  /** The calls at the same time. */
  calls: fc.integer({ min: 1, max: 8 }),
  responses: fc.array(response, { minLength: 1, maxLength: 8 }),
  streams: fc.boolean(),
  passesMs: fc.constantFrom(0, 1000, 40_000),
})
type Response = Readonly<{ status: number; refusal?: string; nonce?: string; skew?: number }>

test('no server causes a loop, a call without an end, an untyped error, or many logins', async () => {
  const service = await boundService()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      let responses: readonly Response[] = [{ status: 200 }]
      let last: Response = { status: 200 }
      let at = 0
      const server = await serve((_, outgoing) => {
        last = responses[(at += 1) % responses.length] ?? last
        const { status, refusal: challenge, nonce: given, skew: minutes = 0 } = last
        outgoing.setHeader('date', new Date(Date.now() + minutes * 60_000).toUTCString())
        if (challenge !== undefined) outgoing.setHeader('www-authenticate', challenge)
        if (given !== undefined) outgoing.setHeader('dpop-nonce', given)
        if (status === 307) outgoing.setHeader('location', `/${at}`)
        outgoing.writeHead(status).end()
      })
      const time = turnedTime()
      const proofs = { clock: time.clock }
      const auth = service.session({ baseUrl: server.origin, clock: time.clock, proofs })
      const send = authFetch(auth, { baseUrl: server.origin })
      for (const { calls, streams, passesMs, ...given } of steps) {
        responses = given.responses as readonly Response[]
        const [sentBefore, loginsBefore] = [
          server.arrived.length,
          service.server.tokenRequests.length,
        ]
        const ended = Array.from({ length: calls }, async (_, index) => {
          const body = streams && index % 2 ? new Blob(['a body']).stream() : null
          const init = { method: 'POST', duplex: 'half', body } as const
          try {
            return `${(await send(`/${index}`, init)).status}`
          } catch (error) {
            if (AuthError.is(error)) return error.code
            throw error
          }
        })
        for (const outcome of await Promise.all(ended)) {
          expect(outcome).toMatch(/^(?:200|40[013]|503|307|ERR_AUTH_[A-Z_]+)$/)
        }
        // Eight retries, and twenty hops.
        expect(server.arrived.length - sentBefore).toBeLessThanOrEqual(29 * calls)
        expect(service.server.tokenRequests.length - loginsBefore).toBeLessThanOrEqual(calls + 1)
        time.now += passesMs
      }
    }),
    { numRuns: isNightly ? 500 : 40 },
  )
})
