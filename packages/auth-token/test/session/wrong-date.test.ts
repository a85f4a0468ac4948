import { describe, expect, test } from 'vitest'
import { authFetch, createTokenAuth, type TokenAuthOptions } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { primary } from '../support/service.ts'
import { withCheapSeals } from '../support/time.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const base = 'https://search.example.com'

interface Scene {
  /** The time by which the `Date` of the login is ahead, as that of a front may be. */
  readonly dateAheadMs?: number
  readonly lifetimeMs?: number
  /** The age at which the first token is handed out. */
  readonly ageMs?: number
  readonly hasIat?: boolean
  readonly hasDate?: boolean
  /** The status with which an expired token is refused. */
  readonly refusal?: number
  /** The time for which an expired token is good, as many verifiers have it. */
  readonly leewayMs?: number
}

/** A service with tokens that expire by its own clock, which is that of the client. */
function serviceOf({
  dateAheadMs = 0,
  lifetimeMs = day,
  ageMs = 0,
  hasIat = true,
  hasDate = true,
  refusal = 401,
  leewayMs = 0,
}: Scene) {
  const start = Date.UTC(2026, 0, 1)
  const time = { now: start }
  const clock = withCheapSeals(() => time.now)
  let logins = 0
  let refused = 0
  let missing = false
  const expiryOf = (token: string): number => {
    const { exp } = JSON.parse(atob(token.split('.')[1] ?? ''))
    return exp * 1000
  }
  const isGood = (token: string): boolean => time.now < expiryOf(token) + leewayMs
  const login = async (): Promise<Response> => {
    const iat = (time.now - (logins === 0 ? ageMs : 0)) / 1000
    logins += 1
    const claims = { ...(hasIat && { iat }), exp: iat + lifetimeMs / 1000, jti: logins }
    const date = new Date(time.now + dateAheadMs).toUTCString()
    return Response.json(
      { Token: `e30.${btoa(JSON.stringify(claims)).replaceAll('=', '')}.` },
      { headers: hasDate ? { date } : {} },
    )
  }
  const session = (options: Partial<TokenAuthOptions> = {}) => {
    const auth = createTokenAuth({
      baseUrl: base,
      credentials: primary,
      clock,
      random: () => 0,
      fetch: login,
      ...options,
    })
    const send = authFetch(auth, {
      async fetch(_input, init) {
        const token = new Headers(init?.headers).get('x-svc-security-token') ?? ''
        if (!isGood(token)) refused += 1
        const status = isGood(token) ? (missing ? 404 : 200) : refusal
        return new Response(null, { status })
      },
    })
    return {
      auth,
      get: async (path = '/user/groups') => (await send(base + path)).status,
      stream: async () => {
        const init: RequestInit & { duplex: 'half' } = {
          method: 'POST',
          body: new Blob(['once']).stream(),
          duplex: 'half',
        }
        return (await send(`${base}/user/x`, init)).status
      },
    }
  }
  return {
    time,
    start,
    session,
    isGood,
    logins: () => logins,
    refused: () => refused,
    /** Lets what is asked for be missing from now on. */
    isMissing: () => (missing = true),
    /** Does something every so often for a while, and lets a renewal finish each time. */
    every: async (stepMs: number, forMs: number, action: () => Promise<unknown>): Promise<void> => {
      for (const end = time.now + forMs; time.now < end; time.now += stepMs) {
        await action()
        await new Promise(setImmediate)
      }
    },
  }
}

const offsets = [-5 * 365 * day, -day, -hour, 0, hour, 6 * hour, 13 * hour, 20 * hour]
offsets.push(23.9 * hour, day, 25 * hour, 10 * day, 5 * 365 * day)

describe('a Date that is off', () => {
  test.each(offsets)('by %i ms costs no more than a login or two a day', async (dateAheadMs) => {
    const { session, every, logins } = serviceOf({ dateAheadMs })
    const { get } = session()
    await every(5 * minute, 4 * day, async () => expect(await get()).toBe(200))
    expect(logins()).toBeLessThanOrEqual(8)
  })

  test.each(offsets)(
    'by %i ms costs no login for each minute of a busy hour',
    async (dateAheadMs) => {
      const { session, every, logins } = serviceOf({ dateAheadMs })
      const { get } = session()
      await every(1000, hour, async () => expect(await get()).toBe(200))
      expect(logins()).toBe(1)
    },
  )

  test.each(offsets)(
    'by %i ms costs none where no resource is found either',
    async (dateAheadMs) => {
      const { session, every, logins, isMissing } = serviceOf({ dateAheadMs })
      isMissing()
      const { get } = session()
      await every(1000, hour, async () => expect(await get()).toBe(404))
      expect(logins()).toBe(1)
    },
  )

  test.each(offsets)('by %i ms costs few logins for tokens of an hour', async (dateAheadMs) => {
    const { session, every, logins } = serviceOf({ dateAheadMs, lifetimeMs: hour })
    const { get } = session()
    await every(10_000, day, async () => expect(await get()).toBe(200))
    expect(logins()).toBeLessThanOrEqual(24 * 3)
  })

  test.each([day, 10 * day])(
    'by %i ms costs few logins for tokens that do not tell their beginning',
    async (dateAheadMs) => {
      const { session, every, logins } = serviceOf({ dateAheadMs, hasIat: false })
      const { get } = session()
      await every(1000, hour, async () => expect(await get()).toBe(200))
      expect(logins()).toBe(1)
    },
  )

  test.each(offsets)(
    'by %i ms costs at most a login a minute where nobody sees if tokens are accepted',
    async (dateAheadMs) => {
      const { session, every, logins } = serviceOf({ dateAheadMs })
      const { auth } = session()
      await every(1000, hour, () => auth.getToken())
      expect(logins()).toBeLessThanOrEqual(60)
    },
  )

  test.each(offsets)('by %i ms lets no stream fail', async (dateAheadMs) => {
    const { session, every, logins } = serviceOf({ dateAheadMs })
    const { stream } = session()
    await every(minute, 2 * day, async () => expect(await stream()).toBe(200))
    // Nothing proves a Date wrong where no request can be sent again.
    expect(logins()).toBeLessThanOrEqual(48 * 10)
  })

  test('is not asked where it cannot be read', async () => {
    const { session, every, logins } = serviceOf({ hasDate: false, dateAheadMs: 10 * day })
    const { get, auth } = session()
    await every(minute, day - hour, get)
    await auth.getToken()
    expect(logins()).toBe(1)
  })

  test('is proven wrong for all who share a store', async () => {
    const { session, every, logins, time } = serviceOf({ dateAheadMs: 10 * day })
    const store = memoryTokenStore(() => time.now)
    // As a command that runs every half an hour.
    await every(30 * minute, day - hour, async () =>
      expect(await session({ store }).get()).toBe(200),
    )
    expect(logins()).toBe(1)
    expect(await session({ store }).auth.getToken()).toMatch(/^e30/)
    expect(logins()).toBe(1)
  })

  test('may be doubted by processes that share a store, each by itself', async () => {
    const { session, logins, time } = serviceOf({ dateAheadMs: 20 * hour })
    const store = memoryTokenStore(() => time.now)
    const [one, other] = [session({ store }), session({ store })]
    expect([await one.get(), await other.get()]).toEqual([200, 200])
    time.now += 5 * hour
    expect([await one.get(), await other.get()]).toEqual([200, 200])
    expect(logins()).toBe(1)
    time.now += 15 * hour
    expect(await other.auth.getToken()).toBe(await one.auth.getToken())
    expect(logins()).toBe(1)
  })
})

describe('a token that is handed out late in its life', () => {
  const ages = [6, 11, 13, 20, 23, 23.9, 23.99].map((hours) => hours * hour)

  test.each(ages)('at %i ms is replaced in time, and no request fails', async (ageMs) => {
    const { session, every, logins } = serviceOf({ ageMs })
    const { get } = session()
    await every(minute, day - hour, async () => expect(await get()).toBe(200))
    expect(logins()).toBe(2)
  })

  test.each(ages)('at %i ms is never given to a caller after its end', async (ageMs) => {
    const { session, every, logins, isGood } = serviceOf({ ageMs })
    const { auth } = session()
    await every(minute, day - hour, async () => expect(isGood(await auth.getToken())).toBe(true))
    expect(logins()).toBe(2)
  })

  test.each(ages)('at %i ms costs no stream', async (ageMs) => {
    const { session, every, refused } = serviceOf({ ageMs })
    const { stream } = session()
    await every(minute, day - hour, async () => expect(await stream()).toBe(200))
    expect(refused()).toBe(0)
  })

  test('is tried once more, since the Date may be wrong, and then replaced for good', async () => {
    const { session, time, start, logins, refused } = serviceOf({ ageMs: 20 * hour })
    const { get, auth } = session()
    await get()
    expect(auth.inspect()).toMatchObject({ state: 'valid', expiresAt: start + 4 * hour })
    time.now = start + 4 * hour - 1
    expect(await get()).toBe(200)
    expect([logins(), refused()]).toEqual([1, 0])
    time.now += 1
    expect(auth.inspect().state).toBe('valid')
    expect(await Promise.all([get(), get(), get()])).toEqual([200, 200, 200])
    expect(logins()).toBe(2)
    expect(auth.inspect()).toMatchObject({ expiresAt: time.now + day, generation: 2 })
  })

  test('is not used on where its end is told with another status', async () => {
    const { session, time, logins } = serviceOf({ ageMs: 20 * hour, refusal: 403 })
    const { get } = session()
    await get()
    time.now += 4 * hour
    expect(await get()).toBe(403)
    expect(await get()).toBe(200)
    expect(logins()).toBe(2)
  })

  test('is doubted again where the service took it for a while after its end', async () => {
    const { session, time, logins } = serviceOf({ ageMs: 20 * hour, leewayMs: minute })
    const { get } = session()
    await get()
    time.now += 4 * hour + 1000
    expect(await get()).toBe(200)
    expect(logins()).toBe(1)
    time.now += minute
    expect(await get()).toBe(200)
    expect(logins()).toBe(2)
  })

  test('is kept for requests while the login that would replace it fails', async () => {
    const { session, time, start } = serviceOf({ dateAheadMs: 20 * hour })
    let isAway = false
    const away = session()
    const { auth, get } = session({
      fetch: async () => {
        if (isAway) throw new TypeError('cut off')
        return Response.json(
          { Token: await away.auth.getToken() },
          { headers: { date: new Date(time.now + 20 * hour).toUTCString() } },
        )
      },
    })
    await get()
    isAway = true
    time.now = start + 5 * hour
    await expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    expect(await get()).toBe(200)
    expect(await auth.getToken()).toMatch(/^e30/)
  })
})
