import { describe, expect, test } from 'vitest'
import { pathHint } from '../../src/diagnose/path-hint.ts'

const host = 'examplebucket.s3.amazonaws.com'
const onTheWay = 'On the way, or in the server, something'
const decodes = 'decodes the path and passes it on decoded (decoded twice in the end)'
const servedAsItCame =
  'It is the same path in another spelling: something on the way decodes it and encodes it by other rules, and the server signs the line as it came.'
const encodesAgain = 'percent-encodes what is encoded already (encoded twice)'

test.each([
  [
    '/a%20b',
    '/a%2520b',
    `${encodesAgain}. If it is the server itself, pathEncoding: 'double' fits it`,
  ],
  ['/a%252Fb', '/a/b', 'decodes the path and passes it on decoded (decoded twice in the end)'],
  ['/a%2Bb', '/a%20b', 'takes a + for a space'],
  ['/a%20b', '/a%2Bb', 'writes a space as +, which is then taken for a plus sign'],
  ['//a///b', '/a/b', 'folds several slashes into one'],
  ['/a/./b', '/a/b', 'resolves dot segments'],
  ['/a/.', '/a/', 'resolves dot segments'],
  ['/a/b/../c', '/a/c', 'resolves dot segments'],
  ['/a/b/..', '/a/', 'resolves dot segments'],
  ['/../a', '/a', 'resolves dot segments'],
  ['/a/', '/a', 'takes the slash off the end'],
  ['/', '', 'takes the slash off the end'],
  ['/a', '/a/', 'adds a slash at the end'],
  ['//', '/', 'folds several slashes into one'],
  [
    '/a//./b',
    '/a/b/',
    'folds several slashes into one, and then resolves dot segments, and then adds a slash at the end',
  ],
])('%s that arrived as %s is told by the way there', (ours, theirs, way) => {
  expect(pathHint(ours, theirs, ours, host)).toBe(`${onTheWay} ${way}.`)
})

describe('another spelling of a path', () => {
  test('is ours, where the server encodes it strictly', () => {
    expect(pathHint("/it's", '/it%27s', "/it's", host)).toBe(
      "It is the same path in another spelling: this one is not encoded strictly, and the server encodes it. pathEncoding: 's3' sends what it signs.",
    )
  })

  test('is theirs, where the server signs it as it came', () => {
    expect(pathHint('/it%27s', "/it's", '/it%27s', host)).toBe(servedAsItCame)
  })

  test('that the server then encodes twice is told as both', () => {
    expect(pathHint('/a+b', '/a%252Bb', '/a+b', host)).toBe(
      `${onTheWay} ${decodes}, and then ${encodesAgain}.`,
    )
  })
})

describe('a path that is signed encoded twice', () => {
  test('does not fit a server that encodes it once', () => {
    expect(pathHint('/a%2520b', '/a%20b', '/a%20b', host)).toBe(
      "The server encodes the path once, and it is signed here encoded twice: pathEncoding: 's3' fits this server.",
    )
  })

  test.each([
    ['/a%20b', '/a%2Bb', `${onTheWay} writes a space as +, which is then taken for a plus sign.`],
    ['/a%20b', '/a%2520b', `${onTheWay} ${encodesAgain}.`],
    ['/it%27s', "/it's", servedAsItCame],
    [
      '/a%20b',
      '/store/a%20b',
      'The prefix /store was added on the way: a proxy passes the request to another path.',
    ],
  ])('is compared as it is sent: %s, %s', (wire, arrived, hint) => {
    const twice = (path: string): string => path.replaceAll('%', '%25')
    expect(pathHint(twice(wire), twice(arrived), wire, host)).toBe(hint)
  })
})

describe('a prefix', () => {
  test.each([
    [
      '/a',
      '/examplebucket/a',
      'The server takes the bucket examplebucket from the host into the path',
    ],
    [
      '/',
      '/examplebucket/',
      'The server takes the bucket examplebucket from the host into the path',
    ],
    ['/a', '/other/a', 'The prefix /other was added on the way'],
    ['/a', '/examplebucket.s3/a', 'The prefix /examplebucket.s3 was added on the way'],
  ])('is added: %s, %s', (ours, theirs, hint) => {
    expect(pathHint(ours, theirs, ours, host)).toContain(hint)
  })

  test('is taken off', () => {
    expect(pathHint('/store/a', '/a', '/store/a', host)).toBe(
      'The prefix /store was taken off on the way: a proxy serves the object store below /store. Let it pass the path on as it came, or give the store a host of its own.',
    )
  })

  test.each([
    ['/store/a/', '/'],
    ['/store/a', ''],
    ['/store/a', '/store/b'],
  ])('is not what %s and %s differ in', (ours, theirs) => {
    expect(pathHint(ours, theirs, ours, host)).toBe(
      'The path was rewritten on the way, such as by a proxy.',
    )
  })
})
