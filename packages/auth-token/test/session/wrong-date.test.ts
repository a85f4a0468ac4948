import { describe, expect, test } from 'vitest'
import { authFetch, createTokenAuth, type TokenAuthOptions } from '@svc/auth-token'
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
}

/** A service with tokens that expire by its own clock, which is that of the client. */
function serviceOf({
  dateAheadMs = 0,
  lifetimeMs = day,
  ageMs = 0,
  hasIat = true,
  hasDate = true,
}: Scene) {
  const start = Date.UTC(2026, 0, 1)
  const time = { now: start }
  const clock = withCheapSeals(() => time.now)
  let logins = 0
  let refused = 0
  const expiryOf = (token: string): number => {
    const { exp } = JSON.parse(atob(token.split('.')[1] ?? ''))
    return exp * 1000
  }
  const isGood = (token: string): boolean => time.now < expiryOf(token)
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
        const status = isGood(token) ? 200 : 401
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
    /** Does something every so often for a while, and lets a renewal finish each time. */
    every: async (stepMs: number, forMs: number, action: () => Promise<unknown>): Promise<void> => {
      for (const end = time.now + forMs; time.now < end; time.now += stepMs) {
        await action()
        await new Promise(setImmediate)
      }
    },
  }
}

const offsets = [
  -5 * 365 * day,
  -hour,
  0,
  6 * hour,
  13 * hour,
  23.9 * hour,
  25 * hour,
  5 * 365 * day,
]

describe('a Date that is off', () => {
  test.each(offsets)('by %i ms costs no more than a login or two a day', async (dateAheadMs) => {
    const { session, every, logins } = serviceOf({ dateAheadMs })
    const { get } = session()
    await every(15 * minute, 4 * day, async () => expect(await get()).toBe(200))
    expect(logins()).toBeLessThanOrEqual(8)
  })

  test.each(offsets)('by %i ms costs few logins for tokens of an hour', async (dateAheadMs) => {
    const { session, every, logins } = serviceOf({ dateAheadMs, lifetimeMs: hour })
    const { get } = session()
    await every(minute, day, async () => expect(await get()).toBe(200))
    expect(logins()).toBeLessThanOrEqual(24 * 3)
  })

  test.each(offsets)('by %i ms lets no stream fail', async (dateAheadMs) => {
    const { session, every, logins } = serviceOf({ dateAheadMs })
    const { stream } = session()
    await every(15 * minute, 2 * day, async () => expect(await stream()).toBe(200))
    expect(logins()).toBeLessThanOrEqual(4)
  })

  test('is not asked where it cannot be read', async () => {
    const { session, every, logins } = serviceOf({ hasDate: false, dateAheadMs: 10 * day })
    const { get, auth } = session()
    await every(15 * minute, day - hour, get)
    await auth.getToken()
    expect(logins()).toBe(1)
  })

  test('counts for no longer than a token that does not tell its beginning may live', async () => {
    const { session, time } = serviceOf({ hasIat: false, hasDate: false })
    const { auth } = session()
    await auth.getToken()
    expect(auth.inspect().expiresAt).toBe(time.now + day)
  })
})

describe('a token that is handed out late in its life', () => {
  const ages = [6, 11, 13, 20, 23.9].map((hours) => hours * hour)

  test.each(ages)('at %i ms is replaced, and no request fails', async (ageMs) => {
    const { session, every, logins, refused } = serviceOf({ ageMs })
    const { get } = session()
    await every(minute, day - hour, async () => expect(await get()).toBe(200))
    expect(logins()).toBe(2)
    // One that has less than half of its life left looks like one of a server whose clock is wrong.
    expect(refused()).toBe(ageMs > 12 * hour ? 1 : 0)
  })

  test.each(ages.slice(0, 2))(
    'at %i ms is never given to a caller after its end',
    async (ageMs) => {
      const { session, every, logins, isGood } = serviceOf({ ageMs })
      const { auth } = session()
      await every(minute, day - hour, async () => expect(isGood(await auth.getToken())).toBe(true))
      expect(logins()).toBe(2)
    },
  )
})
