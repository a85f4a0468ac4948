import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalQuery } from '../testing.ts'

const searchOf = (query: string): string => new URL(`https://h/?${query}`).search

describe('the query', () => {
  test.each([
    ['', ''],
    ['lifecycle', 'lifecycle='],
    ['a=', 'a='],
    ['=v', '=v'],
    ['a=b=c', 'a=b%3Dc'],
    ['a==', 'a=%3D'],
    ['a=%3D&b=%26', 'a=%3D&b=%26'],
    ['a=1&b=%2f&c=%41', 'a=1&b=%2F&c=A'],
    ['a=1&b', 'a=1&b='],
    ['&&a=1&&', 'a=1'],
    ['b=2&a=1', 'a=1&b=2'],
    ['a-b=1&a=2', 'a=2&a-b=1'],
    ['A=1&a=2&_=3', 'A=1&_=3&a=2'],
    ['x=a+b', 'x=a%20b'],
    ['x=a%2Bb', 'x=a%2Bb'],
    ['x=%FF', 'x=%FF'],
    ['x=%zz', 'x=%25zz'],
    ["x='()*!~", 'x=%27%28%29%2A%21~'],
    ['x=a/b', 'x=a%2Fb'],
    ['x=ü', 'x=%C3%BC'],
    ['__proto__=1&a=2', '__proto__=1&a=2'],
    ['x=a;b', 'x=a%3Bb'],
  ])('%s is sent and signed as %s', (query, expected) => {
    expect(canonicalQuery(searchOf(query), 'by-value')).toEqual({
      sent: expected,
      canonical: expected,
    })
  })

  test('keeps the order of repeated values on the wire and signs them in order of value', () => {
    expect(canonicalQuery('?sort=b&a=1&sort=a', 'by-value')).toEqual({
      sent: 'a=1&sort=b&sort=a',
      canonical: 'a=1&sort=a&sort=b',
    })
    expect(canonicalQuery('?sort=b&a=1&sort=a', 'wire-order').canonical).toBe('a=1&sort=b&sort=a')
  })

  test('a bare question mark goes', () => {
    expect(canonicalQuery('?', 'by-value').sent).toBe('')
  })

  test('1 100 parameters are all kept', () => {
    const query = Array.from({ length: 1100 }, (_, index) => `k${index}=${index}`).join('&')
    expect(canonicalQuery(`?${query}`, 'by-value').sent.split('&')).toHaveLength(1100)
  })

  test('is idempotent and keeps what every parameter means', () => {
    const parameters = fc.array(
      fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
    )
    fc.assert(
      fc.property(parameters, (pairs) => {
        const search = new URLSearchParams(pairs)
        const { sent } = canonicalQuery(`?${search}`, 'by-value')
        expect(canonicalQuery(`?${sent}`, 'by-value').sent).toBe(sent)
        expect(new URL(`https://h/?${sent}`).search).toBe(sent && `?${sent}`)
        const byName = (query: URLSearchParams): Map<string, string[]> =>
          new Map([...query.keys()].sort().map((name) => [name, query.getAll(name)]))
        expect(byName(new URLSearchParams(sent))).toEqual(byName(search))
      }),
    )
  })
})
