import { expect, test } from 'vitest'
import { OutgoingHeaders } from '../src/outgoing-headers.ts'

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
  const values = Array.from({ length: 32_000 }, (_, index) => `value ${index}`)
  const startedAt = performance.now()
  const headers = OutgoingHeaders.read(values.map((value): [string, string] => ['x-own', value]))
  // With the square of it, it is 20 seconds.
  expect(performance.now() - startedAt).toBeLessThan(2000)
  expect(headers.get('x-own')).toBe(values.join(', '))
})
