import assert from 'node:assert/strict'
import { AuthError, Secret } from '@svc/auth-hooks'
import { retryAfterMs } from '@svc/auth-hooks/scheme'
import { createTokenAuth } from '@svc/auth-token'
import { createSeal, tokenLifetime } from '../../../packages/auth-token/test/testing.ts'
import { date, dateTokens } from './date-tokens.ts'
import type { Parser } from './parser.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3OTUyNjg4ODksImV4cCI6MTc5NTM1NTI4OX0.c2ln'
const now = Date.UTC(2026, 10, 21)
const base = 'https://search.example.com'
const user = { value: {}, key: new Secret('"reader","password"'), secrets: () => [] }
const seal = await createSeal([`${base}/user/login`, 'x-svc-security-token'], user, 1)
const sealed = await seal.seal(1, { token: undefined })

/** The bytes that base64 stands for, blanks and either alphabet aside. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

/** Parsers of what a session reads: the responses to logins, and the records of a store. */
export const sessionParsers: readonly Parser[] = [
  {
    name: 'the lifetime in a JWT',
    samples: [jwt, 'e30.e30.', 'e30.eyJleHAiOjl9.x'],
    tokens: [
      '.',
      'e30',
      '-',
      '_',
      '=',
      'eyJleHAiOjl9',
      'W10',
      'bnVsbA',
      '\0',
      'é',
      btoa('['),
      btoa('{"exp":1e999}'),
      btoa('{"exp":'),
    ],
    check(text) {
      const lifetimeMs = tokenLifetime(text, now, 86_400_000)
      assert.ok(lifetimeMs >= 60_000, String(lifetimeMs))
      assert.ok(lifetimeMs <= 10 * 365 * 86_400_000, String(lifetimeMs))
    },
  },
  {
    name: 'the response to a login',
    samples: [JSON.stringify({ Token: jwt }), '{"Token":"two\\nlines"}', '{"Token":null}', '[]'],
    tokens: [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '"Token"',
      '\\',
      '\\u0000',
      '\\r\\n',
      'null',
      '1e999',
      '__proto__',
      jwt,
      '\ufeff',
      '\u2028',
      ' ',
    ],
    async check(text) {
      const fetch = async (): Promise<Response> => new Response(text)
      const credentials = { username: 'reader', password: 'password' }
      const session = createTokenAuth({ baseUrl: base, credentials, fetch })
      try {
        assert.match(await session.getToken(), /^[!-~]+$/)
      } catch (error) {
        assert.ok(
          AuthError.is(error) &&
            /^ERR_AUTH_LOGIN_(?:NOT_JSON|NO_TOKEN|BAD_TOKEN|TOO_LARGE)$/.test(error.code),
          String(error),
        )
      }
    },
  },
  {
    name: 'the message of a refused login',
    samples: [
      '{"Message":"no"}',
      '{"error":{"errors":[{"code":"Denied"}]}}',
      '<Error><Message>no &amp; no</Message></Error>',
      '<html><title>no</title></html>',
      'no',
    ],
    tokens: [
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '"error"',
      '<',
      '<Message>',
      '<Message ',
      '</',
      '<![CDATA[',
      ']]>',
      '<title>',
      '&',
      '&amp;',
      '&#x26;',
      '%25',
      '\\',
      '\\u005c',
      'Og==',
      'a',
      '1',
      '\0',
      '\u202e',
      '\ufeff',
      '😀',
      ' ',
    ],
    async check(text) {
      const fetch = async (): Promise<Response> => new Response(text, { status: 401 })
      const credentials = { username: 'reader', password: 'password' }
      const session = createTokenAuth({ baseUrl: base, credentials, fetch })
      const error: unknown = await session.getToken().catch((thrown: unknown) => thrown)
      assert.ok(AuthError.is(error) && error.code === 'ERR_AUTH_LOGIN_REFUSED', String(error))
      assert.match(error.serverMessage ?? 'none', /^[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{1,500}$/u)
    },
  },
  {
    name: 'Retry-After',
    samples: ['120', date, '0'],
    tokens: dateTokens,
    check(text) {
      const waitMs = retryAfterMs({ get: () => text } as never, now)
      assert.ok(waitMs === undefined || waitMs >= 0, String(waitMs))
    },
  },
  {
    name: 'a record of a store',
    samples: [sealed, sealed.slice(0, 16), ''],
    tokens: ['A', '_', '-', '=', '+', '/', '\0', 'é', ' ', sealed],
    async check(text) {
      const content = await seal.open({ generation: 1, sealed: text })
      assert.ok(content === undefined || bytesOf(text).equals(bytesOf(sealed)))
    },
  },
]
