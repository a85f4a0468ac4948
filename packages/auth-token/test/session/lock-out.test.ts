import { describe, expect, test } from 'vitest'
import {
  AuthError,
  createSessionAuth,
  createTokenAuth,
  type SharedTokenStore,
  type TokenAuthOptions,
} from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { primary } from '../support/service.ts'
import { withCheapSeals } from '../support/time.ts'

const minute = 60_000
// In a short run each class of the statuses, and those that are told apart.
const told = new Set([400, 401, 402, 403, 404, 408, 409, 418, 423, 425, 429, 451, 499])
const statuses = Array.from({ length: 300 }, (_, index) => 300 + index).filter(
  (status) => isNightly || status % 50 === 0 || told.has(status),
)
const passing = [408, 425, 429, ...statuses.filter((status) => status >= 500)]
const misplaced = [404, 405, 406, 411, 413, 414, 415, 421, 426, 431]
const refusing = statuses.filter(
  (status) => status >= 400 && !passing.includes(status) && !misplaced.includes(status),
)
const json =
  (body: string, status = 200) =>
  (): Response =>
    new Response(body, { status, headers: { 'content-type': 'application/json' } })

// No pause that is awaited here ends in between.
const stepMs = isNightly ? 1000 : 5000

/** Asks for a token again and again for an hour. Returns the seconds at which a login was sent. */
async function hourOf(
  respond: (login: number) => Response,
  options: Partial<TokenAuthOptions> = {},
): Promise<number[]> {
  let now = 0
  const logins: number[] = []
  const auth = createTokenAuth({
    baseUrl: 'https://search.example.com',
    credentials: primary,
    clock: () => now,
    random: () => 0.999,
    fetch: async () => respond(logins.push(now / 1000)),
    ...options,
  })
  for (; now < 60 * minute; now += stepMs) {
    await expect(auth.getToken()).rejects.toMatchObject({ name: 'AuthError' })
  }
  return logins
}

/** Returns the most logins within ten minutes. */
function mostInTenMinutes(logins: readonly number[]): number {
  return Math.max(
    ...logins.map((from) => logins.filter((at) => at >= from && at < from + 600).length),
  )
}

const longestWait = (logins: readonly number[]): number =>
  Math.max(...logins.slice(1).map((at, index) => at - (logins[index] ?? 0)))

describe('a login that the service refuses', () => {
  test.each<[what: string, respond: () => Response]>([
    ...refusing.map((status): [string, () => Response] => [
      `with ${status}`,
      () => new Response('refused', { status }),
    ]),
    ['with 200 and an error', json('{"error":"wrong password"}')],
    ['with 201 and an error', json('{"error":"wrong password"}', 201)],
    ['with 200 and null', json('null')],
    ['with 200 and a list', json('[]')],
    ['with 200 and a text', json('"wrong password"')],
    ['with 200 and false', json('false')],
    ['with 200 and an empty Token', json('{"Token":""}')],
    ['with 200 and a Token that is null', json('{"Token":null}')],
    ['with 200 and a Token that is no text', json('{"Token":{}}')],
    ['with 200 and more than a mebibyte', json(`{"error":"${'x'.repeat(2 ** 20)}"}`)],
  ])('%s is sent at most 10 times in 10 minutes and 15 in an hour', async (_what, respond) => {
    const logins = await hourOf(respond)
    expect(mostInTenMinutes(logins)).toBeLessThanOrEqual(10)
    expect(logins.length).toBeLessThanOrEqual(15)
    expect(logins.length).toBeGreaterThan(5)
    expect(longestWait(logins)).toBe(900)
  })

  test('is sent no more often if refused in several ways by turns', async () => {
    const ways = [400, 401, 403, 422].map((status) => () => new Response('', { status }))
    ways.push(json('{}'))
    const logins = await hourOf((login) => (ways[login % ways.length] ?? json('{}'))())
    expect(mostInTenMinutes(logins)).toBeLessThanOrEqual(10)
    expect(logins.length).toBeLessThanOrEqual(15)
  })

  test.each([403, 422, 423, 200])(
    'with %i is sent again if the credentials change, and after invalidate()',
    async (status) => {
      let password = 'wrong'
      let logins = 0
      const auth = createTokenAuth({
        baseUrl: 'https://search.example.com',
        credentials: () => ({ ...primary, password }),
        clock: () => 0,
        fetch: async () => {
          logins += 1
          return json(password === 'right' ? '{"Token":"token"}' : '{"error":"no"}', status)()
        },
      })
      const refused = { status, retryAt: expect.any(Number) }
      for (let call = 0; call < 5; call += 1)
        await expect(auth.getToken()).rejects.toMatchObject(refused)
      expect(logins).toBe(1)
      password = 'also wrong'
      await expect(auth.getToken()).rejects.toMatchObject(refused)
      expect(logins).toBe(2)
      await auth.invalidate()
      await expect(auth.getToken()).rejects.toMatchObject(refused)
      expect(logins).toBe(3)
    },
  )

  test.each<[what: string, store: SharedTokenStore | undefined]>([
    ['alone', undefined],
    ['with a store', memoryTokenStore()],
  ])(
    '%s is sent no more than five times, however often the session is invalidated',
    async (_what, store) => {
      let logins = 0
      const events: string[] = []
      const auth = createTokenAuth({
        baseUrl: 'https://search.example.com',
        credentials: primary,
        session: 'own',
        clock: withCheapSeals(() => 0),
        onEvent: ({ type }) => events.push(type),
        store,
        fetch: async () => {
          logins += 1
          return new Response('', { status: 401 })
        },
      })
      for (let call = 0; call < 12; call += 1) {
        await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
        await auth.invalidate()
      }
      expect(logins).toBe(5)
      expect(events.filter((type) => type === 'login.failed')).toHaveLength(5)
      await expect(auth.getToken()).rejects.toMatchObject({ retryAt: 480_000 })
    },
  )

  test.each([
    [3_600_000, 'alone'],
    [Infinity, 'alone'],
    [Number.NaN, 'alone'],
    [3_600_000, 'with a store'],
    [Infinity, 'with a store'],
    [Number.NaN, 'with a store'],
  ])(
    "by a login of one's own that asks for a pause of %d ms is made again after 15 minutes at most, %s",
    async (pauseMs, how) => {
      let logins = 0
      let now = 0
      const clock = withCheapSeals(() => now)
      const auth = createSessionAuth({
        baseUrl: 'https://search.example.com',
        credentials: primary,
        session: 'own',
        store: how === 'alone' ? undefined : memoryTokenStore(clock),
        clock,
        login: async () => {
          logins += 1
          throw new AuthError('ERR_AUTH_LOGIN_REFUSED', 'no', { status: 401, retryAt: pauseMs })
        },
      })
      const until = pauseMs > 0 ? 900_000 : 30_000
      for (; now < until; now += 5000) {
        await expect(auth.getToken()).rejects.toMatchObject({ retryAt: until })
      }
      expect(logins).toBe(1)
      await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
      expect(logins).toBe(2)
    },
  )

  test.each<[what: string, respond: () => Response, code: string]>([
    ['423', () => new Response('', { status: 423 }), 'ERR_AUTH_LOGIN_REFUSED'],
    ['200 and no token', json('{"error":"no"}'), 'ERR_AUTH_LOGIN_NO_TOKEN'],
  ])('with %s pauses all who share a store, with the same error', async (_what, respond, code) => {
    let now = 0
    let logins = 0
    const clock = (): number => now
    const store = memoryTokenStore(clock)
    const session = () =>
      createTokenAuth({
        baseUrl: 'https://search.example.com',
        credentials: primary,
        store,
        clock,
        fetch: async () => {
          logins += 1
          return respond()
        },
      })
    const status = respond().status
    for (let process = 0; process < 4; process += 1) {
      await expect(session().getToken()).rejects.toMatchObject({ code, status, retryAt: 30_000 })
    }
    expect(logins).toBe(1)
    now = 30_000
    await expect(session().getToken()).rejects.toMatchObject({ code, status, retryAt: 90_000 })
    expect(logins).toBe(2)
  })

  test('never keeps anyone from a token that is valid', async () => {
    let now = 0
    let status = 200
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      clock: () => now,
      fetch: async () => json('{"Token":"token"}', status)(),
    })
    await auth.getToken()
    status = 423
    for (now = 24 * 60 * minute - 600_000; now < 24 * 60 * minute; now += 10_000) {
      expect(await auth.getToken()).toBe('token')
      await new Promise(setImmediate)
    }
    await expect(auth.getToken()).rejects.toMatchObject({ status: 423 })
  })
})

describe('a login that nobody looked at', () => {
  test.each<[what: string, respond: () => Response]>([
    ...misplaced.map((status): [string, () => Response] => [
      `with ${status}`,
      () => new Response('', { status }),
    ]),
    ['with 200 and HTML', () => new Response('<html></html>')],
    ['with 200 and nothing', () => new Response('')],
    ['with 204', () => new Response(null, { status: 204 })],
    ...[301, 302, 307, 308].map((status): [string, () => Response] => [
      `with ${status}`,
      () => new Response('', { status, headers: { location: '/elsewhere' } }),
    ]),
  ])('%s is sent again after a minute at most', async (_what, respond) => {
    const logins = await hourOf(respond)
    expect(longestWait(logins)).toBeLessThanOrEqual(61)
    expect(logins.length).toBeLessThan(80)
  })
})

describe('a login that failed for a reason that passes', () => {
  test.each<[what: string, respond: () => Response]>([
    ...passing.map((status): [string, () => Response] => [
      `with ${status}`,
      () => new Response('', { status }),
    ]),
    [
      'in the network',
      () => {
        throw new TypeError('cut off')
      },
    ],
  ])('%s is sent again after a minute at most, and ever less often', async (_what, respond) => {
    const logins = await hourOf(respond)
    expect(longestWait(logins)).toBeGreaterThan(55)
    expect(longestWait(logins)).toBeLessThanOrEqual(61)
    expect(logins.length).toBeLessThan(80)
  })
})
