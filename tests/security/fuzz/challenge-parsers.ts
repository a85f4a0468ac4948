import assert from 'node:assert/strict'
import { readAuthParameters, readChallenges } from '@svc/auth-hooks/challenge'
import type { Parser } from './parser.ts'

const tokens = [
  'Digest ',
  'Basic ',
  'Negotiate ',
  'realm',
  'nonce=',
  'realm="',
  'qop="auth,auth-int"',
  'a=b',
  ', ',
  ',',
  '=',
  '==',
  '"',
  '\\',
  '\\"',
  ' ',
  '\t',
  '\r\n',
  '/',
  'a/b+c==',
  '\0',
  '\ud800',
  'é',
  '__proto__=',
]

/** Parsers of the fields in which a server asks for credentials. */
export const challengeParsers: readonly Parser[] = [
  {
    name: 'a challenge',
    samples: [
      'Digest realm="a \\"b\\", c", nonce="d/e==", qop="auth,auth-int", algorithm=SHA-256, stale=TRUE',
      'Negotiate abc/+==, Basic realm="x", NTLM, Digest realm=y, nonce=z',
      'Bearer error="invalid_token", scope="a b", resource_metadata="https://a.example/"',
    ],
    tokens,
    check(text) {
      const challenges = readChallenges(text)
      assert.ok(challenges.length <= text.length)
      for (const { scheme, token68, parameters } of challenges) {
        assert.match(scheme, /^[\w!#$%&'*+\-.^`|~]+$/)
        assert.ok(token68 === undefined || (parameters.size === 0 && text.includes(token68)))
        for (const [name, value] of parameters) {
          assert.match(name, /^[\w!#$%&'*+\-.^`|~]+$/)
          assert.ok(value.length <= text.length)
        }
      }
      // As the fields of a response.
      assert.deepEqual(readChallenges([text]), challenges)
    },
  },
  {
    name: 'the proof of a server with Digest',
    samples: ['rspauth="0123", qop=auth, nc=00000001, cnonce="a\\"b", nextnonce="c/d=="'],
    tokens,
    check(text) {
      assert.ok(readAuthParameters(text).size <= text.length)
    },
  },
]
