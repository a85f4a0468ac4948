import { describe, expect, test } from 'vitest'
import { authFetch, createTokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { primary } from '../support/service.ts'

const base = 'https://search.example.com'

/** A service that ends sessions, and clients that ask it for something 10 times a second. */
function scene(clients = 1, isShared = false) {
  let now = 0
  const clock = (): number => now
  const logins: number[] = []
  /** Decides by the path and by the second at which the token was issued. */
  let takes = (_path: string, _issuedAt: number): boolean => true
  const store = memoryTokenStore(clock)
  const fetches = Array.from({ length: clients }, () =>
    authFetch(
      createTokenAuth({
        baseUrl: base,
        credentials: primary,
        clock,
        random: () => 0,
        ...(isShared && { store }),
        fetch: async () => Response.json({ Token: `token-${logins.push(now / 1000)}` }),
      }),
      {
        async fetch(input, init) {
          const token = new Headers(init?.headers).get('x-svc-security-token') ?? ''
          const path = new URL(new Request(input).url).pathname
          const issuedAt = logins[Number(token.slice('token-'.length)) - 1] ?? Infinity
          return new Response(null, { status: takes(path, issuedAt) ? 200 : 401 })
        },
      },
    ),
  )
  return {
    logins,
    at: () => now / 1000,
    /** Decides which tokens are good from now on. */
    takes: (next: typeof takes): void => {
      takes = next
    },
    /** Sends requests for so many seconds; returns the second of the first success. */
    goOn: async (
      seconds: number,
      path = (_turn: number): string => '/user/groups',
      everyMs = 100,
    ): Promise<number> => {
      let first: number | undefined
      for (const end = now + seconds * 1000; now < end; now += everyMs) {
        const send = fetches[(now / everyMs) % fetches.length] ?? fetch
        const response = await send(base + path(now / everyMs))
        if (response.status === 200) first ??= now / 1000
      }
      return first ?? Infinity
    },
  }
}

/** Returns the most logins within ten minutes. */
function mostInTenMinutes(logins: readonly number[]): number {
  return Math.max(
    ...logins.map((from) => logins.filter((at) => at >= from && at < from + 600).length),
  )
}

const never = (): boolean => false

describe('after a burst of ended sessions', () => {
  const paths: Record<string, (turn: number) => string> = {
    'one address': () => '/user/groups',
    'five addresses': (turn) => `/user/${turn % 5}`,
    'ever new addresses': (turn) => `/user/${turn}`,
  }
  const bursts = Object.keys(paths).flatMap((where) =>
    [1, 3, 8, 15, 33, 60, 61, 90, 105].map((seconds) => [where, seconds] as const),
  )
  test.each(bursts)(
    'at %s that lasted %i s, a request succeeds soon after',
    async (where, seconds) => {
      const { goOn, takes, at } = scene()
      await goOn(30, paths[where])
      takes(never)
      await goOn(seconds, paths[where])
      const well = at()
      takes((_path, issuedAt) => issuedAt >= well)
      expect((await goOn(40, paths[where])) - well).toBeLessThanOrEqual(Math.min(seconds + 1, 30))
    },
  )

  test.each(bursts)(
    'at %s that took each token for 300 ms in %i s, too',
    async (where, seconds) => {
      const { goOn, takes, at, logins } = scene()
      await goOn(30, paths[where])
      const end = at() + seconds
      takes((_path, issuedAt) => issuedAt >= end || at() < issuedAt + 0.3)
      await goOn(seconds, paths[where])
      expect((await goOn(40, paths[where])) - end).toBeLessThanOrEqual(30)
      expect(mostInTenMinutes(logins)).toBeLessThanOrEqual(31)
    },
  )
})

describe('a service that refuses every token', () => {
  test.each([
    ['from the beginning', 0],
    ['after it took one', 5],
    ['after it took one for an hour', 3600],
  ])('%s is asked for at most 30 logins in ten minutes', async (_what, seconds) => {
    const { goOn, takes, logins } = scene()
    await goOn(seconds, undefined, 1000)
    takes(never)
    await goOn(1800, undefined, 500)
    // The first login of all replaced nothing.
    expect(mostInTenMinutes(logins.slice(1))).toBeLessThanOrEqual(30)
    expect(logins.length).toBeGreaterThan(50)
  })

  test.each([
    ['from the beginning', 0],
    ['after it took one', 10],
  ])('%s is asked for one after 1, 2, 4, 8, 16 and then every 30 s', async (_what, seconds) => {
    const { goOn, takes, logins, at } = scene()
    await goOn(seconds, (turn) => `/user/${turn}`)
    takes(never)
    const from = at()
    await goOn(130)
    const replaced = logins.slice(1).map((login) => login - from)
    expect(replaced).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121])
  })

  test('is asked for as few by all who share a store', async () => {
    const { goOn, takes, logins } = scene(4, true)
    await goOn(10)
    takes(never)
    await goOn(1200, undefined, 250)
    expect(mostInTenMinutes(logins)).toBeLessThanOrEqual(32)
  })

  test.each([1, 2, 5])(
    'at %i of its addresses alone is asked for one every 30 s, after the first few',
    async (bad) => {
      const { goOn, takes, logins } = scene()
      takes((path) => Number(path.slice('/user/'.length)) >= bad)
      await goOn(900, (turn) => `/user/${turn % 10}`)
      // Each address may have been the one whose session was ended.
      expect(logins.length).toBeLessThanOrEqual(900 / 30 + 6 + bad)
    },
  )
})

test('sessions that end now and then are replaced at once, for as long as they do', async () => {
  const { goOn, takes, logins, at } = scene()
  // As a service does that ends sessions after half a minute.
  takes((_path, issuedAt) => at() < issuedAt + 30)
  expect(await goOn(3600, undefined, 1000)).toBe(0)
  expect(logins).toHaveLength(3600 / 30)
})
