import { expect, test } from 'vitest'
import { formatDuration, parseInstant } from '../testing.ts'

const at = Date.UTC(2013, 4, 24, 1, 30, 5)

test.each([
  '20130524T013005Z',
  ' 20130524T013005Z\n',
  '2013-05-24T01:30:05Z',
  '2013-05-24T01:30:05.000Z',
  '2013-05-24T03:30:05+02:00',
  'Fri, 24 May 2013 01:30:05 GMT',
  '1369359005000',
  `20130524T013005Z${' '.repeat(24)}`,
])('an instant is read from %j', (text) => {
  expect(parseInstant(text)).toBe(at)
})

test.each<[text: string, at: number]>([
  ['19700101T000000Z', 0],
  ['99991231T235959Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
])('an instant is read from %j, the first and the last there are', (text, expected) => {
  expect(parseInstant(text)).toBe(expected)
})

test.each([
  undefined,
  null,
  '',
  'never',
  '20131324T013005Z',
  '99999999T999999Z',
  '19691231T235959Z',
  '+010000-01-01T00:00:00Z',
  '11369359005000',
  '13693590050001',
  `20130524T013005Z${' '.repeat(25)}`,
])('%j is no instant that a request is signed for', (text) => {
  expect(parseInstant(text)).toBeUndefined()
})

test.each<[ms: number, text: string]>([
  [0, '0 s'],
  [499, '0 s'],
  [500, '1 s'],
  [-59_000, '59 s'],
  [60_000, '1 min'],
  [3_599_900, '1 h'],
  [5_400_000, '1 h 30 min'],
  [-3_605_000, '1 h 5 s'],
  [86_400_000 * 400 + 3_600_000 * 23 + 60_000 * 59, '400 d 23 h'],
])('%i ms are written %j', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
