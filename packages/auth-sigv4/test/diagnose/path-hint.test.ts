import { describe, expect, test } from 'vitest'
import { pathHint } from '../testing.ts'

const host = 'examplebucket.s3.amazonaws.com'
const onTheWay = 'On the way, or in the server, something'
const servedAsItCame =
  'It is the same path in another spelling: something on the way decodes it and re-encodes it differently, and the server signs it as received.'
const encodesAgain = 'percent-encodes what is already encoded (so it is encoded twice)'

test.each([
  ['/a%20b', '/a%2520b', `${encodesAgain}. If it is the server itself, use pathEncoding: 'double'`],
  ['/a%252Fb', '/a/b', 'decodes the path and forwards it decoded (so it is decoded twice)'],
  ['/a%2Bb', '/a%20b', 'reads + as a space'],
  ['/a%20b', '/a%2Bb', 'writes a space as +, which is then read as a plus sign'],
  ['//a///b', '/a/b', 'collapses repeated slashes'],
  ['/a/./b', '/a/b', 'resolves dot segments'],
  ['/a/.', '/a/', 'resolves dot segments'],
  ['/a/b/../c', '/a/c', 'resolves dot segments'],
  ['/a/b/..', '/a/', 'resolves dot segments'],
  ['/../a', '/a', 'resolves dot segments'],
  ['/a/', '/a', 'removes the trailing slash'],
  ['/', '', 'removes the trailing slash'],
  ['/a', '/a/', 'adds a trailing slash'],
  ['//', '/', 'collapses repeated slashes'],
])('%s that arrived as %s is told by the way there', (ours, theirs, way) => {
  expect(pathHint(ours, theirs, ours, host)).toBe(`${onTheWay} ${way}.`)
})

describe('another spelling of a path', () => {
  test('is ours, where the server encodes it strictly', () => {
    expect(pathHint("/it's", '/it%27s', "/it's", host)).toBe(
      "It is the same path in another spelling: this one is not strictly encoded, and the server encodes it. Use pathEncoding: 's3', which sends what it signs.",
    )
  })

  test('is theirs, where the server signs it as it came', () => {
    expect(pathHint('/it%27s', "/it's", '/it%27s', host)).toBe(servedAsItCame)
  })
})

describe('a path that is signed encoded twice', () => {
  test('does not fit a server that encodes it once', () => {
    expect(pathHint('/a%2520b', '/a%20b', '/a%20b', host)).toBe(
      "The server encodes the path once, but it is signed here encoded twice: use pathEncoding: 's3'.",
    )
  })

  test.each([
    ['/a%20b', '/a%2Bb', `${onTheWay} writes a space as +, which is then read as a plus sign.`],
    ['/a%20b', '/a%2520b', `${onTheWay} ${encodesAgain}.`],
    ['/it%27s', "/it's", servedAsItCame],
    ['/a%2Fb', '/a/b', servedAsItCame],
    ['/a%2fb', '/a%2Fb', servedAsItCame],
    ['/%61', '/a', servedAsItCame],
    [
      '/a%20b',
      '/store/a%20b',
      'The prefix /store was added on the way: a proxy forwards the request to another path.',
    ],
  ])('is compared as it is sent: %s, %s', (wire, arrived, hint) => {
    const twice = (path: string): string => path.replaceAll('%', '%25')
    expect(pathHint(twice(wire), twice(arrived), wire, host)).toBe(hint)
  })

  test('is compared without its repeated slashes, which are sent and not signed', () => {
    expect(pathHint('/a/b%2520c', '/a/b%2520c/', '/a//b%20c', host)).toBe(
      `${onTheWay} adds a trailing slash.`,
    )
    expect(pathHint('/a/b', '/store/a/b', '/a//b', host)).toContain('The prefix /store was added')
    expect(pathHint('/a/b', '/a//b', '/a//b', host)).toContain("use pathEncoding: 's3'")
  })
})

describe('a prefix', () => {
  test.each([
    [
      '/a',
      '/examplebucket/a',
      'The server moves the bucket examplebucket from the host into the path',
    ],
    [
      '/',
      '/examplebucket/',
      'The server moves the bucket examplebucket from the host into the path',
    ],
    ['/a', '/other/a', 'The prefix /other was added on the way'],
    ['/a', '/examplebucket.s3/a', 'The prefix /examplebucket.s3 was added on the way'],
  ])('is added: %s, %s', (ours, theirs, hint) => {
    expect(pathHint(ours, theirs, ours, host)).toContain(hint)
  })

  test('is taken off', () => {
    expect(pathHint('/store/a', '/a', '/store/a', host)).toBe(
      'The prefix /store was removed on the way: a proxy serves the object store under /store. Configure the proxy to forward the path as received, or give the store its own host.',
    )
  })

  test.each([
    ['/store/a/', '/'],
    ['/store/a', ''],
    ['/store/a', '/store/b'],
  ])('is not what %s and %s differ in', (ours, theirs) => {
    expect(pathHint(ours, theirs, ours, host)).toBe(
      'The path was rewritten on the way, for example by a proxy.',
    )
  })
})
