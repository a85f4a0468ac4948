import { retryAfterMs } from '@svc/auth-hooks/scheme'
import { expect, test } from 'vitest'

const serverTimeMs = Date.UTC(2026, 0, 1, 12)
const retryAfter = (value: string): number | undefined =>
  retryAfterMs(new Headers({ 'retry-after': value }), serverTimeMs)

test.each<[value: string, waitMs: number | undefined]>([
  ['120', 120_000],
  ['0', 0],
  ['86400', 86_400_000],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
  ['Fri, 02 Jan 2026 12:00:00 GMT', 86_400_000],
  ['', undefined],
  ['soon', undefined],
  ['12 seconds', 12_000],
  ['120.5', 120_500],
  ['0.25', 250],
  ['120.', 120_000],
  [' 7 ', 7000],
  ['120, 120', 120_000],
  ['Thursday, 01-Jan-26 12:00:30 GMT', 30_000],
  ['Thu Jan  1 12:00:30 2026', 30_000],
  [',', undefined],
  ['-5', 0],
  [`${'9'.repeat(400)}.5`, Number.POSITIVE_INFINITY],
])('a server that asks with "%s" to wait asks for %s ms', (value, waitMs) => {
  expect(retryAfter(value)).toBe(waitMs)
})

test('a server that does not ask to wait is given no time', () => {
  expect(retryAfterMs(new Headers(), serverTimeMs)).toBeUndefined()
})
