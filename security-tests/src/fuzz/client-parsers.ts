import assert from 'node:assert/strict'
import { AuthError, type AuthErrorCode, Secret } from '@svc/auth-hooks'
import { hasDotSegment, matchOrigins, parseBaseUrl } from '@svc/auth-hooks/scheme'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { diagnose } from '@svc/auth-sigv4/diagnose'
import { createTokenAuth } from '@svc/auth-token'
import { OutgoingHeaders } from '../../../packages/auth-hooks/src/outgoing-headers.ts'
import { redirectTarget } from '../../../packages/auth-hooks/src/redirect.ts'
import { readRequestUrl } from '../../../packages/auth-hooks/src/request-url.ts'
import { canonicalPath } from '../../../packages/auth-sigv4/src/canonical-path.ts'
import { canonicalQuery } from '../../../packages/auth-sigv4/src/canonical-query.ts'
import { readErrorXml } from '../../../packages/auth-sigv4/src/diagnose/error-xml.ts'
import { parseInstant } from '../../../packages/auth-sigv4/src/diagnose/instants.ts'
import { readPresignedUrl } from '../../../packages/auth-sigv4/src/diagnose/presigned-url.ts'
import { parseLock } from '../../../packages/auth-token/src/lock-file.ts'
import { retryAfterMs } from '../../../packages/auth-token/src/retry-after.ts'
import { createSeal } from '../../../packages/auth-token/src/sealed-record.ts'
import { tokenLifetimeMs } from '../../../packages/auth-token/src/token-lifetime.ts'
import { percentDecode } from '../../../packages/emulator/src/percent-encoding.ts'
import { readPath } from '../../../packages/route-auth-selector/src/route-path.ts'
import type { Parser } from './parser.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE3OTUyNjg4ODksImV4cCI6MTc5NTM1NTI4OX0.c2ln'
const date = 'Sat, 21 Nov 2026 13:17:49 GMT'
const now = Date.UTC(2026, 10, 21)
const base = 'https://search.example.com'
const auth = createSigV4Auth({
  baseUrl: base,
  region: 'us-east-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'key' },
  clock: () => now,
})
const seal = await createSeal(new URL(`${base}/user/login`), 'x-svc-security-token', {
  username: 'reader',
  password: new Secret('password'),
  parentUid: undefined,
})
const sealed = await seal.seal(1, { token: undefined })

/** What base64 stands for, blanks and either alphabet aside. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

/** Runs what may refuse an input; nothing but these errors may come of it. */
function orRefused<Result>(
  codes: readonly (AuthErrorCode | 'TypeError')[],
  read: () => Result,
): Result | undefined {
  try {
    return read()
  } catch (error) {
    const code = AuthError.is(error) ? error.code : error instanceof TypeError && 'TypeError'
    assert.ok(
      codes.some((one) => one === code),
      `refused with ${String(error)}`,
    )
    return undefined
  }
}

/** What a query says to whoever reads it as a form, whatever the order of its names. */
function parametersOf(query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return String(parameters)
}

const urlTokens = [
  '/',
  '//',
  '.',
  '..',
  '%2e',
  '%2F',
  '%',
  '%zz',
  '%c3%a9',
  '+',
  '?',
  '&',
  '=',
  '#',
  ';',
  '@',
  ':',
  '\\',
  ' ',
  '\t',
  '\n',
  'a',
  'é',
  '\ud800',
  '[',
  ']',
  '*',
]

/** Whatever the client packages read that they did not write. */
export const clientParsers: readonly Parser[] = [
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
      const lifetimeMs = tokenLifetimeMs(text, now)
      assert.ok(lifetimeMs >= 1000 && lifetimeMs <= 10 * 365 * 86_400_000, String(lifetimeMs))
    },
  },
  {
    name: 'the answer of a login',
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
    name: 'Retry-After and Date',
    samples: ['120', date, '0'],
    tokens: [
      '0',
      '9',
      '-',
      '+',
      '.',
      'e',
      ' ',
      '\t',
      ',',
      ':',
      'GMT',
      'Nov',
      'Sat,',
      date,
      '2026',
      '(',
      ')',
      '\0',
      '٣',
      'Z',
      'T',
    ],
    check(text) {
      const waitMs = retryAfterMs({ get: () => text } as never, now)
      assert.ok(waitMs === undefined || (waitMs >= 0 && waitMs <= 900_000), String(waitMs))
      const at = parseInstant(text)
      assert.ok(at === undefined || (at >= 0 && at < 253_402_300_800_000), String(at))
    },
  },
  {
    name: 'the XML of an error',
    samples: [
      '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>a &amp; b</Message></Error>',
      '<e:Error xmlns:e="x"><!-- c --><e:Code>A</e:Code><d><![CDATA[x]]></d></e:Error>',
    ],
    tokens: [
      '<',
      '>',
      '</',
      '/>',
      '<a>',
      '</a>',
      '<a ',
      '="',
      '"',
      "'",
      '&',
      '&amp;',
      '&#0;',
      '&#x10ffff;',
      '&#x110000;',
      '&#xd800;',
      '&#9999999;',
      '&#x',
      '&#',
      ';',
      '&x;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<!DOCTYPE',
      '<?',
      '?>',
      'Error',
      '<Error>',
      '<Code>',
      '\r',
      '\n',
      ' ',
      '\0',
      '\ud800',
    ],
    check(text) {
      const { elements, state } = readErrorXml(text)
      assert.ok(state !== 'malformed' || elements.size === 0)
    },
  },
  {
    name: 'an answer to diagnose',
    samples: [
      '<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>GET\n/V1/a\nb=c\nhost:search.example.com\nx-amz-date:20261121T000000Z\n\nhost;x-amz-date\nUNSIGNED-PAYLOAD</CanonicalRequest><StringToSign>AWS4-HMAC-SHA256\n20261121T000000Z\n20261121/us-east-1/s3/aws4_request\nabc</StringToSign></Error>',
      '<Error><Code>RequestTimeTooSkewed</Code><ServerTime>2026-11-21T00:00:00Z</ServerTime><RequestTime>20261121T010000Z</RequestTime><MaxAllowedSkewMilliseconds>900000</MaxAllowedSkewMilliseconds></Error>',
      "<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region 'a' is wrong; expecting 'b'</Message></Error>",
    ],
    tokens: [
      '<Code>',
      '</Code>',
      '<CanonicalRequest>',
      '</CanonicalRequest>',
      '<Region>',
      '</Region>',
      '<CanonicalRequestBytes>47 45',
      '\n',
      ':',
      ';',
      'host:',
      'a:b\n',
      '%',
      '%2F',
      '&amp;',
      '=',
      '/',
      '+',
      ' ',
      '\t',
      '\ufffd',
      'x-amz-date:',
      ',',
      "'",
    ],
    async check(text) {
      const response = new Response(text, { status: 403 })
      const { summary } = await diagnose(auth, response, `${base}/V1/a?b=c`)
      assert.ok(summary.length > 0 && summary.length < 20_000, String(summary.length))
    },
  },
  {
    name: 'a URL to sign',
    samples: [
      `${base}/V1/a%2Fb/é?b=c&b=a+d&&e#f`,
      'http://[::1]:80/',
      `${base}/V1/a%2F%2e.%2Fb`,
      'https://user:password@search.example.com/',
    ],
    tokens: [...urlTokens, base, 'X-Amz-Signature=a', 'x-amz-security-token='],
    check(text) {
      const url = orRefused(['ERR_AUTH_URL'], () => readRequestUrl(text))
      if (!url) return
      assert.match(url.href, /^https?:\/\/[^@/?#]+\//)
      readPresignedUrl(url)
      const path = orRefused(['ERR_AUTH_URL'], () => canonicalPath(url.pathname, 's3'))
      const query = canonicalQuery(url.search, 'by-value')
      // One form: signing what was sent gives the same again, and a parser of URLs changes nothing of it.
      assert.equal(canonicalQuery(`?${query.wire}`, 'by-value').canonical, query.canonical)
      assert.equal(parametersOf(query.wire), parametersOf(url.search))
      if (!path) return
      assert.equal(percentDecode(path.wire), percentDecode(url.pathname))
      assert.equal(canonicalPath(path.wire, 's3').wire, path.wire)
      const sent = new URL(`${url.origin}${path.wire}${query.wire && '?'}${query.wire}`)
      assert.equal(sent.pathname + sent.search.slice(1), path.wire + query.wire)
      assert.ok(!hasDotSegment(sent.pathname))
    },
  },
  {
    name: 'the Location of a redirect',
    samples: ['/there?a=b#c', 'https://elsewhere.example/', '//elsewhere.example', '../up'],
    tokens: [...urlTokens, 'https:', 'javascript:', 'user:password@', '\xc3\xa9', '\xff'],
    check(text) {
      const get = (name: string): string | null => (name === 'location' ? text : null)
      const response = { status: 302, headers: { get } } as never
      const target = orRefused(['ERR_AUTH_REDIRECT'], () => redirectTarget(response, new URL(base)))
      if (target) assert.match(target.href, /^https?:\/\/[^@/]+\//)
    },
  },
  {
    name: 'the path of a route',
    samples: ['/User//login/%2e%2e/groups', '/a/%2F/b'],
    tokens: urlTokens,
    check(text) {
      const path = readPath(text)
      assert.match(path, /^\/(?:[^/]+\/)*$/s)
      assert.ok(!/\/\.{1,2}\//.test(path))
    },
  },
  {
    name: 'the pattern of an origin',
    samples: [base, 'https://*.search.example.com', 'http://localhost:80'],
    tokens: [
      'https://',
      'http://',
      '*.',
      '*',
      '.',
      ':',
      ':443',
      '/',
      '@',
      'a',
      'example',
      '.com',
      '%',
      ' ',
      '\t',
      '\0',
      'é',
      '[',
      ']',
      '1',
      '?',
      '#',
    ],
    check(text) {
      const covers = orRefused(['TypeError'], () => matchOrigins('origins', [text]))
      if (!covers) return
      const { protocol, host } = new URL(text.replace('*.', ''))
      const others = protocol === 'http:' ? 'https:' : 'http:'
      const isCovered = (url: string): boolean => URL.canParse(url) && covers(new URL(url))
      // No pattern covers what it does not name: a star is one label.
      const named = text.includes('*') ? `${protocol}//a.${host}` : `${protocol}//${host}`
      const near = ['', 'a', 'a.', 'a.b.', '.'].map((label) => `${protocol}//${label}${host}`)
      for (const url of [...near, `${others}//${host}`, `${others}//a.${host}`]) {
        assert.ok(url === named || !isCovered(url), url)
      }
    },
  },
  {
    name: 'a base URL',
    samples: [base, `${base}/api/`, 'http://127.0.0.1:9000'],
    tokens: [...urlTokens, 'https://', 'user@'],
    check(text) {
      const url = orRefused(['TypeError'], () => parseBaseUrl(text))
      if (url) assert.match(url.href, /^https?:\/\/[^/@?#]+\/[^?#]*$/)
    },
  },
  {
    name: 'the value and the name of a header',
    samples: ['text/plain; charset=utf-8', ' a  b ', 'é'],
    tokens: [
      'a',
      ' ',
      '\t',
      '  ',
      ',',
      ';',
      '=',
      '"',
      '\r',
      '\n',
      '\0',
      'é',
      '\u0100',
      '\ud800',
      '__proto__',
      '-',
    ],
    check(text) {
      for (const pair of [
        ['x-own', text],
        [text, 'own'],
      ] as const) {
        const headers = orRefused(['ERR_AUTH_HEADER'], () =>
          OutgoingHeaders.read([['x-own', 'a'], [...pair]]),
        )
        for (const [name, value] of headers ?? []) assert.ok(!/[\r\n\0]/.test(name + value))
      }
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
  {
    name: 'a lock of a file store',
    samples: [
      JSON.stringify({
        version: 1,
        owner: 'a',
        takenAt: now,
        expiresAt: now + 1,
        process: { host: 'b', pid: -10, start: '2' },
      }),
      'null',
    ],
    tokens: [
      '{',
      '}',
      '[',
      '"',
      ',',
      ':',
      '-',
      '0',
      '1e999',
      'null',
      '"pid"',
      '"version"',
      '"process":',
      '\\u0000',
      '\0',
      'é',
      ' ',
    ],
    check(text) {
      const lock = parseLock(text)
      // A process is asked for by its number, and others mean many of them.
      assert.ok(!lock || (Number.isSafeInteger(lock.process.pid) && lock.process.pid > 0))
    },
  },
]
