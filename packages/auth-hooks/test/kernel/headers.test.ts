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

describe('changes that nobody can change any more', () => {
  const frozen = (name: string, value: string): readonly (readonly [string, string])[] =>
    Object.freeze([Object.freeze([name, value] as const)])

  test('are checked each time that they are set', () => {
    const changes = frozen('x-api-key', 'a\r\nb: c')
    for (let time = 0; time < 2; time += 1) {
      expect(() => OutgoingHeaders.read(undefined).toRecord(changes)).toThrow('x-api-key')
    }
  })

  test('are set like others, on a record of their own each time', () => {
    const changes = frozen('X-Api-Key', ' a key ')
    const first = OutgoingHeaders.read(undefined).toRecord(changes)
    first['x-other'] = 'changed'
    expect({ ...OutgoingHeaders.read(undefined).toRecord(changes) }).toEqual({
      'x-api-key': 'a key',
    })
    expect([...OutgoingHeaders.read(undefined)]).toEqual([])
  })

  test('are not taken for those that share a frozen list but not its lines', () => {
    const line: [string, string] = ['x-api-key', 'one']
    const changes = Object.freeze([line])
    OutgoingHeaders.read(undefined).toRecord(changes)
    line[1] = 'two'
    expect(OutgoingHeaders.read(undefined).toRecord(changes)['x-api-key']).toBe('two')
  })
})
