import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase, readPath, readPathOption } from './testing.ts'

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

describe('the path of an option', () => {
  test('is read as that of a URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const path = `/x${text.replace(/[?#\p{Cc}]/gu, '')}`
        expect(readPathOption(path, '[p] f', 'path')).toBe(
          readPath(new URL(`https://h${path}?`).pathname),
        )
      }),
    )
  })

  test('is never taken for a host', () => {
    expect(readPathOption('//user', '[p] f', 'path')).toBe('/user/')
  })

  test.each([undefined, null, 1, '', 'user', '\\user', '/user?a', '/user#a', '/us\ner', '/\0'])(
    'is refused where it is %j',
    (path) => {
      expect(() => readPathOption(path, '[p] f', 'routes[0].path')).toThrow(
        /^\[p\] f: routes\[0\]\.path must be a path/,
      )
    },
  )
})

test('case is folded for the letters of ASCII alone', () => {
  expect(foldCase('/User/LOGIN/')).toBe('/user/login/')
  const bytes = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index)).join('')
  expect(foldCase(bytes)).toBe(bytes)
})
