import { expect, test } from 'vitest'
import { OutgoingHeaders } from '../../src/kernel/headers.ts'

test.each([
  ['x-own', ['a', 'b'], 'a, b'],
  ['x-own', ['a', ''], 'a,'],
  ['x-own', ['', 'a'], ', a'],
  ['x-own', ['a', ' ', 'b'], 'a,, b'],
  ['cookie', ['a=1', 'b=2', ''], 'a=1; b=2;'],
])('%s is %j in one line, without blanks at its ends', (name, values, line) => {
  const headers = OutgoingHeaders.read(values.map((value): [string, string] => [name, value]))
  expect(headers.get(name)).toBe(line)
})

test('a header that repeats is read in time that grows with its length', () => {
  // With the square of it, the test would run out of its time.
  const values = Array.from({ length: 100_000 }, (_, index) => `value ${index}`)
  const headers = OutgoingHeaders.read(values.map((value): [string, string] => ['x-own', value]))
  expect(headers.get('x-own')).toBe(values.join(', '))
})
