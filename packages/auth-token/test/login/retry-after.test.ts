import { expect, test } from 'vitest'
import { createTokenAuth } from '@svc/auth-token'
import { primary } from '../support/service.ts'

test.each(['86400', 'Fri, 02 Jan 2026 12:00:00 GMT', `${'9'.repeat(400)}.5`])(
  'a server that asks with "%s" to wait is given 15 minutes',
  async (retryAfter) => {
    const now = Date.UTC(2026, 0, 1, 12)
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      clock: () => now,
      random: () => 0,
      fetch: async () =>
        new Response(null, { status: 429, headers: { 'retry-after': retryAfter } }),
    })
    const retryAt = now + 900_000
    await expect(auth.getToken()).rejects.toMatchObject({ status: 429, retryAt })
  },
)

test.each<[what: string, headers: Record<string, string>]>([
  ['of the server', { date: 'Wed, 31 Dec 2025 23:59:00 GMT' }],
  ['of the client, where the server tells none', {}],
])('a date counts against the clock %s', async (_what, date) => {
  const now = Date.UTC(2025, 11, 31, 23, 58)
  const auth = createTokenAuth({
    baseUrl: 'https://search.example.com',
    credentials: primary,
    clock: () => now,
    random: () => 0,
    fetch: async () =>
      new Response(null, {
        status: 429,
        headers: { ...date, 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' },
      }),
  })
  const retryAt = now + ('date' in date ? 60_000 : 120_000)
  await expect(auth.getToken()).rejects.toMatchObject({ status: 429, retryAt })
})

test.each([403, 408, 413, 422, 429, 500, 503])(
  'a server that responds with %i and asks to wait is given that time',
  async (status) => {
    let now = 0
    let logins = 0
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      clock: () => now,
      random: () => 0,
      fetch: async () => {
        logins += 1
        return new Response(null, {
          status,
          headers: [
            ['retry-after', '120.5'],
            ['retry-after', '120'],
          ],
        })
      },
    })
    await expect(auth.getToken()).rejects.toMatchObject({ status, retryAt: 120_500 })
    now = 120_499
    await expect(auth.getToken()).rejects.toMatchObject({ status, retryAt: 120_500 })
    expect(logins).toBe(1)
    now = 120_500
    await expect(auth.getToken()).rejects.toMatchObject({ status })
    expect(logins).toBe(2)
  },
)
