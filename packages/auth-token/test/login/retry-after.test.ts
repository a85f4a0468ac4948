import { expect, test } from 'vitest'
import { createTokenAuth } from '@svc/auth-token'
import { retryAfterMs } from '../testing.ts'
import { primary } from '../support/service.ts'

const serverTimeMs = Date.UTC(2026, 0, 1, 12)
const retryAfter = (value: string): number | undefined =>
  retryAfterMs(new Headers({ 'retry-after': value }), serverTimeMs)

test.each<[value: string, waitMs: number | undefined]>([
  ['120', 120_000],
  ['0', 0],
  ['86400', 900_000],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['Fri, 02 Jan 2026 12:00:00 GMT', 900_000],
  ['', undefined],
  ['soon', undefined],
  ['12 seconds', undefined],
])('a server that asks with "%s" to wait is given %s ms', (value, waitMs) => {
  expect(retryAfter(value)).toBe(waitMs)
})

test('a server that does not ask to wait is given no time', () => {
  expect(retryAfterMs(new Headers(), serverTimeMs)).toBeUndefined()
})

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
