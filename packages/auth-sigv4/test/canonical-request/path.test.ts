import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalPath } from '../testing.ts'

/** Returns the bytes that a server reads, which decodes the path. */
function bytesOf(path: string): number[] {
  return [...path.matchAll(/%([\da-f]{2})|[^]/gi)].map(([character, hex]) =>
    hex === undefined ? character.charCodeAt(0) : Number.parseInt(hex, 16),
  )
}

describe('the path of S3', () => {
  test.each([
    ['/', '/'],
    ['/a b', '/a%20b'],
    ['/a%20b', '/a%20b'],
    ['/a+b', '/a%2Bb'],
    ['/a%2Bb', '/a%2Bb'],
    ['/a%2bb', '/a%2Bb'],
    ["/it's", '/it%27s'],
    ['/a(1)*!.txt', '/a%281%29%2A%21.txt'],
    ['/a$b&c=d,e;f@g:h', '/a%24b%26c%3Dd%2Ce%3Bf%40g%3Ah'],
    ['/ünï', '/%C3%BCn%C3%AF'],
    ['/%e4%bd%a0', '/%E4%BD%A0'],
    ['/a//b', '/a//b'],
    ['//a', '//a'],
    ['/a/', '/a/'],
    ['/a%2Fb', '/a/b'],
    ['/a%25b', '/a%25b'],
    ['/a%2520b', '/a%2520b'],
    ['/100%', '/100%25'],
    ['/a%zz', '/a%25zz'],
    ['/a|b^c', '/a%7Cb%5Ec'],
    ['/a[1]{2}', '/a%5B1%5D%7B2%7D'],
    ['/a"b<c>', '/a%22b%3Cc%3E'],
    ['/a%7Eb', '/a~b'],
    ['/%61', '/a'],
    ['/%FF', '/%FF'],
    ['/%00', '/%00'],
    ['/a%23b c', '/a%23b%20c'],
    ['/😀', '/%F0%9F%98%80'],
    ['/...', '/...'],
    ['/.a/b.', '/.a/b.'],
  ])('sends and signs %s as %s', (path, expected) => {
    // The last part of a path with // is read as a host where it leads a relative URL.
    const url = new URL(`https://h${path}`)
    expect(canonicalPath(url, 's3')).toEqual({ sent: expected, canonical: expected })
  })

  test.each([
    '/a/x%2F..%2Fb',
    '/a%2F..',
    '/a%2F.%2Fb',
    '/..%2Fb',
    '/x%2f%2e%2e',
    '/a/..;/b',
    '/a/..%3bx=1/b',
    '/a/..%5cb',
    '/a/%252e%252e/b',
    '/a%252f..%252fb',
  ])('rejects %s, which a server may read as a dot segment, as other services do', (path) => {
    for (const encoding of ['s3', 'double'] as const) {
      expect(() => canonicalPath(new URL(`https://h${path}`), encoding)).toThrow(
        expect.objectContaining({ code: 'ERR_AUTH_URL' }),
      )
    }
    expect(canonicalPath(new URL(`https://h${path}`), 'verbatim').sent).toBe(path)
  })

  test('is idempotent, keeps every byte, and is left alone by URL parsers', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'a',
            'Z',
            '%',
            '%2',
            '%41',
            '%ff',
            '%2F',
            '%25',
            '+',
            ' ',
            '/',
            '~',
            'ü',
            '😀',
            "'",
            '*',
            ';',
            '=',
            '@',
            '-',
          ),
        ),
        (pieces) => {
          const url = new URL(`https://h/${pieces.join('')}`)
          const once = canonicalPath(url, 's3').sent
          expect(canonicalPath({ origin: url.origin, pathname: once }, 's3').sent).toBe(once)
          expect(bytesOf(once)).toEqual(bytesOf(url.pathname))
          expect(new URL(`https://h${once}`).pathname).toBe(once)
          expect(once).toMatch(/^(?:[\w\-.~/]|%[\dA-F]{2})*$/)
        },
      ),
    )
  })
})

describe('other services', () => {
  test('keep what is sent, and sign it encoded twice and with slashes folded', () => {
    expect(canonicalPath(new URL('https://h/a%20b//c%2Fd'), 'double')).toEqual({
      sent: '/a%20b//c%2Fd',
      canonical: '/a%2520b/c%252Fd',
    })
  })

  test('take the path as it is where that is asked for', () => {
    const path = "/a%2Fb+c'%zz/x%2F..%2Fy"
    const url = new URL(`https://h${path}`)
    expect(canonicalPath(url, 'verbatim')).toEqual({ sent: path, canonical: path })
  })
})
