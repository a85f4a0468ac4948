import { expect, test } from 'vitest'
import { canonicalParts } from '../testing.ts'

const parts = {
  method: 'GET',
  path: '/a',
  query: 'b=1',
  headers: new Map([['host', 'h:9000']]),
  signedHeaders: 'host',
  payloadHash: 'UNSIGNED-PAYLOAD',
}

test.each<[what: string, text: string]>([
  ['as it is signed', 'GET\n/a\nb=1\nhost:h:9000\n\nhost\nUNSIGNED-PAYLOAD'],
  ['with a line break at its end', 'GET\n/a\nb=1\nhost:h:9000\n\nhost\nUNSIGNED-PAYLOAD\n'],
  ['without the blank line', 'GET\n/a\nb=1\nhost:h:9000\nhost\nUNSIGNED-PAYLOAD'],
])('a canonical request is taken apart %s', (_what, text) => {
  expect(canonicalParts(text)).toEqual(parts)
})

test.each<[what: string, text: string]>([
  ['as it is signed', 'GET\n/a\nb=1\nhost:h:9000\n\nhost\n'],
  ['with a line break at its end', 'GET\n/a\nb=1\nhost:h:9000\n\nhost\n\n'],
  ['with blanks at its end', 'GET\n/a\nb=1\nhost:h:9000\n\nhost\n  \n  '],
  ['trimmed', 'GET\n/a\nb=1\nhost:h:9000\n\nhost'],
])('a canonical request whose payload hash is empty is taken apart %s', (_what, text) => {
  expect(canonicalParts(text)).toEqual({ ...parts, payloadHash: '' })
})

test('a canonical request without query and headers has none', () => {
  expect(canonicalParts('GET\n/\n\n\nUNSIGNED-PAYLOAD')).toEqual({
    ...parts,
    path: '/',
    query: '',
    headers: new Map(),
    signedHeaders: '',
  })
})

test('a header that stands in several lines has all of its values', () => {
  const text = 'GET\n/\n\nx-a:1\nx-b:\nx-a:2\n\nx-a;x-b\nUNSIGNED-PAYLOAD'
  expect(canonicalParts(text)?.headers).toEqual(
    new Map([
      ['x-a', '1,2'],
      ['x-b', ''],
    ]),
  )
})

test('a header line without a colon is a name without a value', () => {
  const text = 'GET\n/\n\nhost\n:authority\n\nhost\nUNSIGNED-PAYLOAD'
  expect(canonicalParts(text)?.headers).toEqual(
    new Map([
      ['host', ''],
      ['', 'authority'],
    ]),
  )
})

test.each(['', 'text', 'GET\n/', 'GET\n/\n\nUNSIGNED-PAYLOAD', 'GET\n/\n\n\n\n'])(
  '%j is no canonical request',
  (text) => {
    expect(canonicalParts(text)).toBeUndefined()
  },
)
