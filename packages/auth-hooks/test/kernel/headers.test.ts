import { authFetch } from '@svc/auth-hooks'
import { describe, expect, test } from 'vitest'
import { recordingScheme } from '../support/schemes.ts'
import { OutgoingHeaders } from '../testing.ts'

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

describe('headers', () => {
  test('that are repeated and end empty have no blank at their end', async () => {
    const scheme = recordingScheme(['https://h'])
    const fetch = authFetch(scheme, { fetch: async () => new Response() })
    await fetch('https://h/', {
      headers: [
        ['x-a', '1'],
        ['x-a', ''],
      ],
    })
    expect(scheme.seen[0]?.headers.get('x-a')).toBe('1,')
  })
})
