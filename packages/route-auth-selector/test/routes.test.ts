import { readPath } from '@svc/auth-hooks/scheme'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase, readPathOption } from './testing.ts'

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
