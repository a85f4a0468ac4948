import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalQuery, type Canonical, uriEncode } from '../testing.ts'
import { atNight } from '../../../../tests/support/nightly.ts'

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

  test('has the order of a stable sort by encoded name, however long and however alike the names are', () => {
    const prefix = fc.constantFrom('', 'x-amz-meta-a-name-that-many-share-', 'filter[]', 'a')
    const ending = fc.string({ unit: fc.constantFrom('a', 'b', '-', '~', '[', '1'), maxLength: 8 })
    const piece = fc
      .tuple(prefix, ending, fc.constantFrom('', '=', '=1', '=b', '=a=c', '=+', '=%2f'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const search = `?${pieces.join('&')}`
        for (const repeated of ['by-value', 'wire-order'] as const) {
          expect(canonicalQuery(search, repeated)).toEqual(plainQuery(search, repeated))
        }
      }),
      { numRuns: atNight(500, 200) },
    )
  })

  test('has no part in the one that is signed next', () => {
    canonicalQuery('?first=%2F%2F', 'by-value')
    expect(canonicalQuery('?first=%', 'by-value').sent).toBe('first=%25')
    expect(canonicalQuery('?first=%2', 'by-value').sent).toBe('first=%252')
  })

  test('that is canonical already is sent as it is', () => {
    const names = Array.from({ length: 300 }, (_, index) => `name-${index + 1000}`)
    const query = names.map((name) => `${name}=a%20value`).join('&')
    expect(canonicalQuery(`?${query}`, 'by-value')).toEqual({ sent: query, canonical: query })
  })

  test.each([
    ['names', (index: number) => `n${index}=v`],
    ['names that begin alike', (index: number) => `filter%5Bcreated-at%5D%5B${index}%5D=v`],
    ['values of one name', (index: number) => `id=${index}`],
    ['names without a value', (index: number) => `n${index}`],
    ['empty pieces', () => ''],
  ])('a million %s by night, and 100 000 by day, are signed in a few seconds', (_, pieceOf) => {
    const length = atNight(1_000_000, 100_000)
    const pieces = Array.from({ length }, (_value, index) => pieceOf(length - 1 - index))
    const { sent } = canonicalQuery(`?${pieces.join('&')}`, 'by-value')
    expect(sent.split('&')).toHaveLength(pieces[0] === '' ? 1 : pieces.length)
  })
})

/** The query as the specification describes it, one step after the other. */
function plainQuery(search: string, repeated: 'by-value' | 'wire-order'): Canonical {
  const pieces = search.slice(1).split('&')
  const pairs = pieces
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [name = '', ...values] = piece.split('=')
      return [name, values.join('=')].map((text) => uriEncode(text.replaceAll('+', ' '), ''))
    })
  const compare = (a = '', b = ''): number => Number(a > b) - Number(a < b)
  const join = (sorted: string[][]): string => sorted.map((pair) => pair.join('=')).join('&')
  const sent = pairs.toSorted(([a], [b]) => compare(a, b))
  const byValue = pairs.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
  return { sent: join(sent), canonical: join(repeated === 'by-value' ? byValue : sent) }
}
