import { AuthError, authFetch } from '@svc/auth-digest'
import { nobleHashes } from '@svc/auth-digest/noble'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNightly } from '../../../tests/support/nightly.ts'
import { serve } from '../../auth-hooks/test/support/server.ts'
import { challengeWith, digestOf } from './support/challenges.ts'
import { reader } from './support/reference-server.ts'

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
