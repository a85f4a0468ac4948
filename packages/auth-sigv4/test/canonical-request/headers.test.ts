import { createSigV4Auth } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { defaultApiKeys } from '@svc/emulator'
import { describe, expect, test } from 'vitest'
import { canonicalHeaders, signedHeaderFilter } from '../testing.ts'

const baseUrl = 'https://search.example.com'

describe('a header', () => {
  test.each(['content-type', 'content-md5', 'range', 'if-match', 'x-amz-meta-a', 'my-own'])(
    '%s is signed',
    (name) => {
      expect(signedHeaderFilter(['My-Own'])(name)).toBe(true)
    },
  )

  test.each([
    'x-range',
    'range-unit',
    'content-types',
    'content-md5-of',
    'x-content-type',
    'if-',
    'x-amz-',
    'x-if-match',
    'my-x-amz-date',
    'user-agent',
  ])('%s is not signed, since whatever is on the way may rewrite it', (name) => {
    expect(signedHeaderFilter(['My-Own'])(name)).toBe(false)
  })
})

test.each([
  ['a b', 'a b'],
  ['a  b', 'a b'],
  ['- \t -', '- -'],
  ['a\tb', 'a b'],
])('the blanks of "%s" are folded to "%s"', (value, folded) => {
  expect(canonicalHeaders([['x-amz-meta-a', value]]).lines).toBe(`x-amz-meta-a:${folded}\n`)
})

test.each([
  ['no blanks', 'a'],
  ['blanks', ' \t'],
  ['words', 'a \t b '],
])('a header of a mebibyte of %s is signed at once', async (_, piece) => {
  const value = `-${piece.repeat(1024 ** 2 / piece.length)}-`
  const auth = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: defaultApiKeys[0] })
  const headers = { 'x-amz-meta-a': value }
  const { canonicalRequest } = await explain(auth, baseUrl, { headers })
  const folded = value.split(/[\t ]+/).join(' ')
  expect(canonicalRequest.includes(`\nx-amz-meta-a:${folded}\n`)).toBe(true)
})

test('headers are sorted by name, however many they are', () => {
  const names = Array.from({ length: 40 }, (_, index) => `x-amz-meta-${(index * 7) % 40}`)
  const { lines, signedHeaders } = canonicalHeaders(names.map((name) => [name, '1']))
  const sorted = names.toSorted()
  expect(signedHeaders).toBe(sorted.join(';'))
  expect(lines).toBe(sorted.map((name) => `${name}:1\n`).join(''))
})
