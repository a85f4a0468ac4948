import { AuthError, authFetch } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNightly } from '../../../tests/support/nightly.ts'
import { serve } from '../../auth-hooks/test/support/server.ts'
import { challengeWith, digestOf } from './support/challenges.ts'
import { reader } from './support/reference-server.ts'
import { serveStrictly } from './support/strict-server.ts'

const challenge = fc
  .record({
    nonce: fc.constantFrom('a', 'b', 'c'),
    realm: fc.constantFrom('r', 's'),
    algorithm: fc.constantFrom('SHA-256', 'SHA-256', 'SHA-256-sess', 'MD5', 'SHA-1'),
    isStale: fc.boolean(),
  })
  .map(({ nonce, realm, algorithm, isStale }) =>
    challengeWith(nonce, isStale ? ', stale=true' : '')
      .replace('"r"', `"${realm}"`)
      .replace('SHA-256', algorithm),
  )
const response = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      status: fc.constant(200),
      info: fc.constantFrom(undefined, 'nextnonce="d"', 'rspauth="00"', 'nextnonce="", qop=auth'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ status: fc.constant(401), challenge }) },
  { weight: 1, arbitrary: fc.record({ status: fc.constantFrom(302, 307, 401, 403, 503) }) },
)
const step = fc.record({
  /** The calls at the same time. */
  calls: fc.integer({ min: 1, max: 8 }),
  responses: fc.array(response, { minLength: 1, maxLength: 8 }),
  streams: fc.boolean(),
  isVaultShut: fc.boolean(),
  invalidates: fc.boolean(),
  passesMs: fc.constantFrom(0, 0, 31_000, 1_000_000),
})
type Response = Readonly<{ status: number; challenge?: string; info?: string }>

test('no server causes a loop, a call without an end, or an untyped error, and none gets the password', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      let responses: readonly Response[] = [{ status: 200 }]
      let at = 0
      const server = await serve((_, outgoing) => {
        const next = responses[(at += 1) % responses.length]
        const { status, challenge: value, info } = next ?? { status: 200 }
        if (value !== undefined) outgoing.setHeader('www-authenticate', value)
        if (info !== undefined) outgoing.setHeader('authentication-info', info)
        if (status < 400 && status > 300) outgoing.setHeader('location', `/${at % 3}/${at}`)
        outgoing.writeHead(status).end()
      })
      const time = { now: 1_800_000_000_000 }
      let isShut = false
      const auth = digestOf({
        baseUrl: server.origin,
        hashes: nobleHashes(),
        allowMd5: true,
        clock: () => time.now,
        challengeTimeoutMs: 5000,
        credentials: async () => {
          if (isShut) throw new Error('no vault')
          return reader
        },
      })
      const send = authFetch(auth, { baseUrl: server.origin })
      for (const { calls, streams, isVaultShut, invalidates, passesMs, ...given } of steps) {
        responses = given.responses as readonly Response[]
        isShut = isVaultShut
        const before = server.arrived.length
        const ended = Array.from({ length: calls }, async (_, index) => {
          const body = streams && index % 2 ? new Blob(['a body']).stream() : null
          const init = { method: 'POST', duplex: 'half', body } as const
          try {
            return `${(await send(`/${index % 3}/${index}`, init)).status}`
          } catch (error) {
            if (AuthError.is(error)) return error.code
            throw error
          }
        })
        for (const outcome of await Promise.all(ended)) {
          expect(outcome).toMatch(/^(?:200|30[27]|40[13]|503|ERR_AUTH_[A-Z_]+)$/)
        }
        // Eight retries, and twenty hops.
        expect(server.arrived.length - before).toBeLessThanOrEqual(29 * calls)
        if (invalidates) auth.invalidate()
        time.now += passesMs
      }
      const sent = server.arrived.map(({ headers, path }) => path + JSON.stringify(headers))
      expect(sent.join()).not.toContain(reader.password)
      const counts = server.arrived.flatMap(({ headers: { authorization = '' } }) => {
        const [, nonce] = /nonce="([^"]*)"/.exec(authorization) ?? []
        const [, count] = /nc=(\w+)/.exec(authorization) ?? []
        return count === undefined ? [] : [`${nonce} ${count}`]
      })
      expect(new Set(counts).size).toBe(counts.length)
      // Once it is as it should be, it is served.
      time.now += 1_000_000
      isShut = false
      responses = [{ status: 200 }]
      auth.invalidate()
      expect((await send('/last')).status).toBe(200)
    }),
    { numRuns: isNightly ? 500 : 60 },
  )
})

const rules = fc.record({
  uses: fc.constantFrom('any', 'rising', 'once'),
  saysStale: fc.boolean(),
  givesNext: fc.boolean(),
})
/** Callers at the same time, each of which sends a request to each path. */
const load = fc.record({
  callers: fc.integer({ min: 1, max: 10 }),
  paths: fc.array(
    fc.constantFrom('/private/a', '/private/b', '/other/a', '/public/a', '/private/open', '/api/a'),
    { minLength: 1, maxLength: 6 },
  ),
})
const faults = fc.array(fc.constantFrom('none', 'none', '503', 'abort'), { maxLength: 20 })

test.each([reader.password, 'wrong'])(
  'with the password %s, a server that keeps to its rules serves all, or judges it once',
  async (password) => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        fc.array(load, { minLength: 1, maxLength: 5 }),
        faults,
        async (given, loads, planned) => {
          const controllers = new Map<string, AbortController>()
          /** Those whose request met a fault: of an aborted one, it is not known what became of it. */
          const spoiled = new Set<string>()
          const server = await serveStrictly(given, ({ count, headers, path }, outgoing) => {
            const call = String(headers['x-call'])
            const fault = planned[count - 1] ?? 'none'
            if (fault !== 'none') spoiled.add(call)
            if (fault === '503') outgoing.writeHead(503).end()
            else if (fault === 'abort') controllers.get(call)?.abort()
            else if (/public|open/.test(path)) outgoing.end()
            else if (path.startsWith('/api/')) {
              outgoing.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
            } else return false
            return true
          })
          const baseUrl = server.origin
          const events: string[] = []
          const auth = digestOf({
            baseUrl,
            credentials: { ...reader, password },
            // A test that waits so long has failed.
            challengeTimeoutMs: 600_000,
            clock: () => 1_800_000_000_000,
            onEvent: ({ type }) => events.push(type),
          })
          const send = authFetch(auth, { baseUrl })
          const outcomeOf = async (path: string): Promise<string> => {
            const call = `${controllers.size}`
            const controller = new AbortController()
            controllers.set(call, controller)
            const init = { headers: { 'x-call': call }, signal: controller.signal }
            const outcome = await send(path, init).then(
              ({ status }) => `${status}`,
              (error: unknown) => (AuthError.is(error) ? error.code : 'aborted'),
            )
            if (spoiled.has(call)) return 'spoiled'
            return outcome === '401' && path.startsWith('/api/') ? '200' : outcome
          }
          const outcomes: string[] = []
          for (const { callers, paths } of loads) {
            const work = async (): Promise<void> => {
              for (const path of paths) outcomes.push(await outcomeOf(path))
            }
            await Promise.all(Array.from({ length: callers }, work))
          }
          const isRight = password === reader.password
          const expected = isRight
            ? ['200', 'spoiled']
            : ['200', 'spoiled', 'ERR_AUTH_LOGIN_REFUSED']
          expect(outcomes.filter((outcome) => !expected.includes(outcome))).toEqual([])
          expect(isRight ? events : []).toEqual([])
          expect(server.wrong()).toBeLessThanOrEqual(1)
        },
      ),
      // Most of those with a wrong password end early.
      { numRuns: (isNightly ? 500 : 60) * (password === 'wrong' ? 4 : 1) },
    )
  },
)
