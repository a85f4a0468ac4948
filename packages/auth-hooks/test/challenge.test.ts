import { type Challenge, readAuthParameters, readChallenges } from '@svc/auth-hooks/challenge'
import { parse } from 'auth-header'
import fc from 'fast-check'
import { processClientCredentialsResponse, WWWAuthenticateChallengeError } from 'oauth4webapi'
import { describe, expect, test } from 'vitest'

/** A challenge in a form that a test compares. */
interface Plain {
  readonly scheme: string
  readonly token68?: string
  readonly parameters?: Readonly<Record<string, string>>
}

const plain = ({ scheme, token68, parameters }: Challenge): Plain => ({
  scheme,
  ...(token68 !== undefined && { token68 }),
  ...(parameters.size > 0 && { parameters: Object.fromEntries(parameters) }),
})

const read = (field: Parameters<typeof readChallenges>[0]): Plain[] =>
  readChallenges(field).map(plain)

test.each<[field: string, challenges: Plain[]]>([
  ['', []],
  [' , ,\t,', []],
  ['Negotiate', [{ scheme: 'negotiate' }]],
  ['Negotiate a/b+c~._-==', [{ scheme: 'negotiate', token68: 'a/b+c~._-==' }]],
  [
    'Basic realm="x", Negotiate',
    [{ scheme: 'basic', parameters: { realm: 'x' } }, { scheme: 'negotiate' }],
  ],
  [
    'NTLM,Negotiate ,Basic realm=x',
    [{ scheme: 'ntlm' }, { scheme: 'negotiate' }, { scheme: 'basic', parameters: { realm: 'x' } }],
  ],
  // RFC 9110, section 11.6.1.
  [
    'Basic realm="simple", Newauth realm="apps", type=1, title="Login to \\"apps\\""',
    [
      { scheme: 'basic', parameters: { realm: 'simple' } },
      { scheme: 'newauth', parameters: { realm: 'apps', type: '1', title: 'Login to "apps"' } },
    ],
  ],
  [
    'Digest realm = "a" ,nonce\t=\tb',
    [{ scheme: 'digest', parameters: { realm: 'a', nonce: 'b' } }],
  ],
  ['Digest REALM=a, Realm=b', [{ scheme: 'digest', parameters: { realm: 'a' } }]],
  [
    'Digest a="b, Basic c=d", e=f',
    [{ scheme: 'digest', parameters: { a: 'b, Basic c=d', e: 'f' } }],
  ],
  [
    'Digest a=b, Digest a=c',
    [
      { scheme: 'digest', parameters: { a: 'b' } },
      { scheme: 'digest', parameters: { a: 'c' } },
    ],
  ],
  ['Digest , , a=b,,,c=d', [{ scheme: 'digest', parameters: { a: 'b', c: 'd' } }]],
  ['Digest a="\\\\\\a\\""', [{ scheme: 'digest', parameters: { a: '\\a"' } }]],
  ['Digest a="", b=', [{ scheme: 'digest', parameters: { a: '', b: '' } }]],
  // What other clients take too.
  [
    'Digest nonce=a/b==, uri=/c?d=e',
    [{ scheme: 'digest', parameters: { nonce: 'a/b==', uri: '/c?d=e' } }],
  ],
  // No challenge, or none of that scheme.
  ['Digest a="b', [{ scheme: 'digest' }]],
  ['Digest a="b\\', [{ scheme: 'digest' }]],
  ['=a, "b", Digest c=d', [{ scheme: 'digest', parameters: { c: 'd' } }]],
  ['a=b, Digest c=d', [{ scheme: 'digest', parameters: { c: 'd' } }]],
  ['Digest a=b c=d, e=f', [{ scheme: 'digest', parameters: { a: 'b', e: 'f' } }]],
  ['Digest a="b"c="d, e=f", g=h', [{ scheme: 'digest', parameters: { a: 'b', g: 'h' } }]],
  ['Basic Digest a=b, c=d', [{ scheme: 'basic', parameters: { c: 'd' } }]],
  ['Di(gest a=b, c=d', []],
  ['Digest @, a=b', [{ scheme: 'digest', parameters: { a: 'b' } }]],
  ['Negotiate abc=, a=b', [{ scheme: 'negotiate', token68: 'abc=' }]],
  [
    'Digest __proto__=a, constructor=b',
    [{ scheme: 'digest', parameters: { ['__proto__']: 'a', constructor: 'b' } }],
  ],
])('%j', (field, challenges) => {
  expect(read(field)).toEqual(challenges)
})

test.each([null, undefined, []])('%j has no challenges', (field) => {
  expect(readChallenges(field)).toEqual([])
})

test('several fields are read as the one in which they are joined', () => {
  const fields = ['Digest realm="a", nonce=b', 'opaque=c, Basic realm="d"', 'Negotiate']
  expect(read(fields)).toEqual(read(fields.join(', ')))
  // But what is open at the end of a field hides none of the next.
  expect(read(['Digest a="b', 'Basic c=d'])).toEqual([
    { scheme: 'digest' },
    { scheme: 'basic', parameters: { c: 'd' } },
  ])
})

test('the parameters of Authentication-Info are read alike', () => {
  const field = 'rspauth="a", qop=auth, Basic, nextnonce = "b, \\"c\\"" , RSPAUTH=d'
  expect(Object.fromEntries(readAuthParameters(field))).toEqual({
    rspauth: 'a',
    qop: 'auth',
    nextnonce: 'b, "c"',
  })
  expect(readAuthParameters(null).size).toBe(0)
})

// oauth4webapi loses this one.
const token = fc
  .stringMatching(/^[a-z\d!#$%&'*+.^_`|~-]{1,12}$/)
  .filter((name) => name !== '__proto__')
const quoted = fc.stringMatching(/^[\t\x20-\x7e\x80-\xff]{0,30}$/)
const parameters = fc.dictionary(token, quoted, { minKeys: 1, maxKeys: 5, noNullPrototype: true })
const challengesOf = (scheme: fc.Arbitrary<string>) =>
  fc.array(
    fc.oneof(
      fc.record({ scheme, parameters }),
      fc.record({ scheme, token68: fc.stringMatching(/^[A-Za-z\d._~+/-]{1,20}={0,2}$/) }),
    ),
    { minLength: 1, maxLength: 5 },
  )

/** Writes challenges as RFC 9110 has them. */
function write(list: readonly Plain[]): string {
  return list
    .map(({ scheme, token68, parameters: own = {} }) => {
      const pairs = Object.entries(own).map(
        ([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`,
      )
      return `${scheme} ${token68 ?? pairs.join(', ')}`
    })
    .join(', ')
}

describe('challenges as they should be', () => {
  test('are read as they were meant', () => {
    fc.assert(
      fc.property(challengesOf(token), (list) => {
        expect(read(write(list))).toEqual(list)
      }),
    )
  })

  test('are read as oauth4webapi reads them', async () => {
    // It reads no scheme with other letters behind the parameters of another one.
    const scheme = fc.stringMatching(/^[a-z\d.-]{1,12}$/)
    await fc.assert(
      fc.asyncProperty(challengesOf(scheme), async (list) => {
        const field = write(list)
        const theirs = await readByOAuth4WebApi(field)
        const ours = readChallenges(field).map(({ parameters: own, ...rest }) =>
          Object.assign(rest, { parameters: Object.fromEntries(own) }),
        )
        expect(ours).toEqual(theirs)
      }),
    )
  })

  test('are read as auth-header reads each', () => {
    // It reads one challenge at a time, no empty value, and leaves a backslash doubled.
    const simple = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,12}$/),
      fc.stringMatching(/^[\x20-\x5b\x5d-\x7e]{1,30}$/),
      {
        minKeys: 1,
        maxKeys: 5,
        noNullPrototype: true,
      },
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), simple, (scheme, own) => {
        const { params } = parse(write([{ scheme, parameters: own }]))
        expect(read(write([{ scheme, parameters: own }]))).toEqual([{ scheme, parameters: params }])
      }),
    )
  })
})

test('anything else is read without a crash, and what is read can be written and read again', () => {
  const piece = fc.constantFrom(
    'Digest',
    'a',
    '=',
    '"',
    '\\',
    ',',
    ' ',
    '\t',
    '\0',
    'é',
    '=="',
    'realm="',
    '\ud800',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const list = read(pieces.join(''))
      expect(read(write(list).replace(/ (?=,|$)/g, ''))).toEqual(list)
    }),
    { numRuns: 1000 },
  )
})

async function readByOAuth4WebApi(field: string): Promise<unknown> {
  const response = new Response(null, { status: 401, headers: { 'www-authenticate': field } })
  const server = { issuer: 'https://a.example' }
  const error: unknown = await processClientCredentialsResponse(
    server,
    { client_id: 'c' },
    response,
  ).then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  )
  if (error instanceof WWWAuthenticateChallengeError) return error.cause
  throw error
}
