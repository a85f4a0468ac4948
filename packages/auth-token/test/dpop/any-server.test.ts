import { AuthError } from '@svc/auth-hooks'
import { authFetch } from '@svc/auth-token'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { serve } from '../../../auth-hooks/test/support/server.ts'
import { manualTime, turnedTime } from '../support/time.ts'
import { readProof } from './support/resource-server.ts'
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
      const auth = service.session({ baseUrl: server.origin, clock: time.clock })
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

const load = fc.record({
  workers: fc.integer({ min: 1, max: 12 }),
  /** The calls of a worker, one after the other. */
  each: fc.integer({ min: 1, max: 5 }),
  /** A nonce is taken once. */
  isOnce: fc.boolean(),
  /** Every response brings a nonce, and not only a refusal. */
  tellsAlways: fc.boolean(),
  /** What becomes of the requests that arrive first. */
  ends: fc.array(fc.constantFrom('abort', 'reset', 'busy'), { maxLength: 4 }),
  /** The turns of the event loop after which requests are responded to. */
  turns: fc.array(fc.nat(6), { minLength: 1, maxLength: 8 }),
})

test('no call is refused for its nonce, and none waits for time, under load and where requests that ask fail', async () => {
  const service = await boundService()
  await fc.assert(
    fc.asyncProperty(load, async ({ workers, each, isOnce, tellsAlways, ends, turns }) => {
      const left = [...ends]
      const nonces = new Set<string>()
      const controllers = new Map<string, AbortController>()
      let refused = 0
      const server = await serve(({ count, headers, path }, outgoing) => {
        const respond = (): unknown => {
          const { nonce: sent = '' } = readProof(headers['dpop']).payload
          const isGood = isOnce ? nonces.delete(sent) : nonces.has(sent)
          const next = isOnce ? `n${count}` : 'n'
          if (!isGood || tellsAlways) outgoing.setHeader('dpop-nonce', next)
          nonces.add(next)
          if (isGood) return outgoing.end()
          refused += 1
          return outgoing
            .writeHead(401, { 'www-authenticate': 'DPoP error="use_dpop_nonce"' })
            .end()
        }
        const end = left.shift()
        if (end === 'abort') controllers.get(path)?.abort()
        else if (end === 'reset') outgoing.destroy()
        else if (end === 'busy') outgoing.writeHead(503).end()
        else void afterTurns(turns[count % turns.length] ?? 0).then(respond)
      })
      // Its timers never fire.
      const { clock } = manualTime(Date.now())
      const auth = service.session({ baseUrl: server.origin, clock })
      const send = authFetch(auth, { baseUrl: server.origin })
      const work = async (worker: number): Promise<unknown[]> => {
        const outcomes: unknown[] = []
        for (let call = 0; call < each; call += 1) {
          const controller = new AbortController()
          controllers.set(`/${worker}/${call}`, controller)
          const sent = send(`/${worker}/${call}`, { signal: controller.signal })
          outcomes.push(await sent.then(({ status }) => status).catch(() => 'failed'))
        }
        return outcomes
      }
      const all = (await Promise.all(Array.from({ length: workers }, (_, at) => work(at)))).flat()
      const failed = Math.min(ends.length, all.length)
      expect(all.filter((outcome) => outcome !== 200 && outcome !== 503)).toHaveLength(
        ends.slice(0, failed).filter((end) => end !== 'busy').length,
      )
      expect(all.filter((outcome) => outcome === 200)).toHaveLength(all.length - failed)
      // One that asked may be refused a second time, since others have its nonce too.
      expect(refused).toBeLessThanOrEqual(isOnce ? all.length - failed + 1 : 1)
    }),
    { numRuns: isNightly ? 500 : 40 },
  )
})

async function afterTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
