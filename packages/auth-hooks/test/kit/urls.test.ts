import { runInNewContext } from 'node:vm'
import {
  hasDotSegment,
  isLoopback,
  matchBase,
  matchOrigins,
  parseBaseUrl,
  readPath,
} from '@svc/auth-hooks/scheme'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

test.each([
  ['https://a.example', 'https://a.example/path', true],
  ['https://a.example', 'https://a.example:443/', true],
  ['https://a.example', 'http://a.example/', false],
  ['https://a.example', 'https://a.example:8443/', false],
  ['https://a.example', 'https://a.example./', false],
  ['https://a.example', 'https://b.a.example/', false],
  ['https://*.a.example', 'https://b.a.example/', true],
  ['https://*.a.example', 'https://a.example/', false],
  ['https://*.a.example', 'https://c.b.a.example/', false],
  ['https://*.a.example', 'https://evil-a.example/', false],
  ['https://*.a.example', 'http://b.a.example/', false],
  ['https://*.a.example:8443', 'https://b.a.example:8443/', true],
])('%s covers %s: %s', (origin, url, isCovered) => {
  expect(matchOrigins([origin], '[p] f', 'origins')(new URL(url))).toBe(isCovered)
})

test('an empty list of origins covers nothing', () => {
  expect(matchOrigins([], '[p] f', 'origins')(new URL('https://a.example'))).toBe(false)
})

test.each([
  '',
  'a.example',
  'ftp://a.example',
  'https://a.example/path',
  'https://u:p@a.example',
  'https://*.*.example',
  '*',
])('%j is no origin, and the message names the option', (origin) => {
  const build = () => matchOrigins(['https://a.example', origin], '[p] f', 'origins')
  expect(build).toThrow(TypeError)
  expect(build).toThrow('origins[1]')
})

test.each<[what: string, origin: unknown]>([
  ['an object without a text', Object.create(null)],
  ['an object whose text fails', { toString: () => expect.unreachable() }],
  ['an object whose text is an origin', { toString: () => 'https://a.example' }],
  ['a symbol', Symbol('origin')],
  ['nothing', undefined],
  ['null', null],
  ['a list', ['https://a.example']],
])('%s is no origin, and the message names the option', (_what, origin) => {
  // Plain JavaScript may hand these over.
  const build = () => matchOrigins([origin as string], '[p] f', 'origins')
  expect(build).toThrow(TypeError)
  expect(build).toThrow(/^\[p\] f: origins\[0\] must be/)
})

test('a URL of another realm is an origin and a base', () => {
  const foreign: URL = runInNewContext('({ href: new URL_("https://a.example/").href })', {
    URL_: URL,
  })
  expect(matchOrigins([foreign], '[p] f', 'origins')(new URL('https://a.example/x'))).toBe(true)
  expect(parseBaseUrl(foreign, '[p] f').href).toBe('https://a.example/')
})

describe('baseUrl', () => {
  test.each([
    '',
    'a.example',
    'ftp://a.example',
    'https://me:hunter2@a.example',
    'https://a.example?x',
    'https://a.example#x',
  ])('%j is a TypeError that names it and shows no password', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl, '[p] f')).toThrow(TypeError)
    expect(() => parseBaseUrl(baseUrl, '[p] f')).toThrow(/^\[p\] f: baseUrl (?!.*hunter2)/)
  })

  test.each(['localhost:9000', '127.0.0.1:8093', ''])(
    '%j is told how a local URL is written',
    (baseUrl) => {
      expect(() => parseBaseUrl(baseUrl, '[p] f')).toThrow(
        'baseUrl must be an absolute URL such as https://search.example.com or http://localhost:9000',
      )
    },
  )

  test('may have a path', () => {
    expect(parseBaseUrl('https://a.example/base', '[p] f').pathname).toBe('/base')
  })
})

test.each([
  ['http://localhost:1', true],
  ['http://a.localhost', true],
  ['http://127.1.2.3', true],
  ['http://[::1]', true],
  ['http://localhost.example', false],
  ['http://127.0.0.1.example', false],
  ['http://10.0.0.1', false],
])('%s is this machine: %s', (url, isThisMachine) => {
  expect(isLoopback(new URL(url))).toBe(isThisMachine)
})

test.each([
  ['https://example.com/', true],
  ['https://example.com/a?b', true],
  ['https://example.com:443/a', true],
  ['https://user:password@example.com/a', true],
  ['https://example.com.evil.test/', false],
  ['https://example.com@evil.test/', false],
  ['https://example.com:8443/', false],
  ['http://example.com/', false],
  ['https://other.test/', true],
])('the origin of the environment is covered beside those listed: %s %s', (url, isCovered) => {
  const isListed = matchOrigins(['https://other.test'], '[p] f', 'origins')
  expect(matchBase(new URL('https://example.com'), isListed)(new URL(url))).toBe(isCovered)
})

describe('a dot segment', () => {
  test.each([
    // Encoded separators.
    '/a%2F..%2Fb',
    '/a%2f.%2fb',
    '/..%2fV1',
    '/a%5c..%5cb',
    '/user/..%5cV1/k',
    '/user%5C..%5CV1',
    // Parameters of a segment, which some servers drop.
    '/user/..;/V1/k',
    '/user/.;/V1',
    '/user/..;a=1;b=2/V1',
    '/user/..;',
    '/user/..%3B/V1',
    '/user/..%3bjsessionid=1/V1',
    '/user/%2e%2e;/V1',
    '/user/%2e.%3b/V1',
    '/user/..%253b/V1',
    // Decoded twice.
    '/user/%252e%252e/V1',
    '/user/%252E/V1',
    '/user/.%252e/V1',
    '/a%252f..%252fb',
    '/a%255c..%255cb',
    '/a%252f%252e%252e%253bx%252fb',
    '/user/%25%32%65%25%32%65/V1',
    '/user/%2%65%2%65/V1',
    '/user/%%32e%%32e/V1',
    '/user/%252e%252e',
    '/%252e%252e/V1',
    '/user/%2e%252e%255cV1',
  ])('is in %s', (path) => {
    expect(hasDotSegment(new URL(`https://h${path}`).pathname)).toBe(true)
  })

  test.each([
    '/',
    '/user/groups',
    '/V1/report.csv',
    '/...',
    '/.hidden/..x',
    '/a..b/c.',
    '/a;../b',
    '/a;b=..',
    '/a%3B..',
    '/x..;/b',
    '/...;/b',
    '/a%20b/%C3%BC',
    '/100%/a.b',
    '/a%25b',
    '/a%252Fb',
    '/a%5Cb',
    '/%2525',
    // A third time is decoded by nobody.
    '/user/%25252e%25252e/V1',
  ])('is not in %s', (path) => {
    expect(hasDotSegment(new URL(`https://h${path}`).pathname)).toBe(false)
  })

  test('is what a server finds that decodes up to twice, reads \\ as / and drops parameters', () => {
    const decode = (text: string): string =>
      text.replace(/%([\da-f]{2})/gi, (_escape, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    const isDot = (path: string): boolean =>
      path.split(/[/\\]/).some((segment) => /^\.\.?$/.test(segment.replace(/;[^]*/, '')))
    const pieces = ['.', '/', '%', '2', '5', 'e', 'E', 'f', 'c', '3', 'b', ';', '%2', '%25', 'x']
    const escapes = ['%2e', '%2F', '%5c', '%3B', '%252e', '%252f', '%255C', '%253b', '..', '%00']
    const paths = fc.array(fc.constantFrom(...pieces, ...escapes), { maxLength: 12 })
    fc.assert(
      fc.property(paths, (parts) => {
        const { pathname } = new URL(`https://h/${parts.join('')}`)
        const [once, twice] = [decode(pathname), decode(decode(pathname))]
        expect([pathname, hasDotSegment(pathname)]).toEqual([
          pathname,
          isDot(pathname) || isDot(once) || isDot(twice),
        ])
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the path of a URL', () => {
  test.each([
    ['/', '/'],
    ['/user', '/user/'],
    ['/user/', '/user/'],
    ['//user///x', '/user/x/'],
    ['/%75ser', '/user/'],
    ['/user%2Flogin', '/user/login/'],
    ['/user%2flogin', '/user/login/'],
    ['/V1/x%2F..%2F..%2Fuser/groups', '/user/groups/'],
    ['/a/%2e%2e%2Fb', '/b/'],
    ['/..%2F..%2Fuser', '/user/'],
    ['/%2E%2Fuser', '/user/'],
    ['/a%2F%2F..%2Fuser', '/user/'],
    ['/user;a=1', '/user;a=1/'],
    ['/100%', '/100%/'],
    ['/%zz%4', '/%zz%4/'],
    ['/ß', '/\u00c3\u009f/'],
    ['/user%5Clogin', '/user\\login/'],
    ['/.hidden/...', '/.hidden/.../'],
  ])('%s is read as %j', (path, read) => {
    expect(readPath(new URL(`https://h${path}`).pathname)).toBe(read)
  })

  test('is percent-decoded once', () => {
    expect(readPath('/%2575ser')).toBe('/%75ser/')
    expect(readPath('/user%252Flogin')).toBe('/user%2Flogin/')
  })

  test('is read as bytes, whatever they are', () => {
    const pathnames = fc.webPath().map((path) => new URL(`https://h/${path}`).pathname)
    fc.assert(
      fc.property(pathnames, (pathname) => {
        expect(readPath(pathname)).toMatch(/^\/(?:[^/]+\/)*$/)
        // oxlint-disable-next-line no-control-regex -- the whole range of a byte
        expect(readPath(pathname)).toMatch(/^[\x00-\xff]*$/)
      }),
    )
  })
})
