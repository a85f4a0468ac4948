import assert from 'node:assert/strict'
import { hasDotSegment, matchOrigins, parseBaseUrl, readPath } from '@svc/auth-hooks/scheme'
import {
  OutgoingHeaders,
  readRedirectTarget,
  readRequestUrl,
} from '../../../packages/auth-hooks/test/testing.ts'
import {
  canonicalPath,
  canonicalQuery,
  readHost,
  readPresignedUrl,
} from '../../../packages/auth-sigv4/test/testing.ts'
import { percentDecode } from '../../../packages/emulator/src/sigv4/canonical-request.ts'
import type { Parser } from './parser.ts'
import { orRejected } from './refused.ts'

const base = 'https://search.example.com'

/** The parameters of a query read as a form, whatever the order of their names. */
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

/** Parsers of addresses, wherever they come from, and of the headers of a request. */
export const addressParsers: readonly Parser[] = [
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
      const url = orRejected(['ERR_AUTH_URL'], () => readRequestUrl(text))
      if (!url) return
      assert.match(url.href, /^https?:\/\/[^@/?#]+\//)
      readPresignedUrl(url)
      const path = orRejected(['ERR_AUTH_URL'], () => canonicalPath(url, 's3'))
      const query = canonicalQuery(url.search, 'by-value')
      // One form: signing what was sent gives the same again, and a parser of URLs changes nothing of it.
      assert.equal(canonicalQuery(`?${query.sent}`, 'by-value').canonical, query.canonical)
      assert.equal(parametersOf(query.sent), parametersOf(url.search))
      if (!path) return
      const bytes = percentDecode(url.pathname)
      assert.equal(percentDecode(path.sent), bytes)
      const sent = new URL(`${url.origin}${path.sent}${query.sent && '?'}${query.sent}`)
      assert.equal(canonicalPath(sent, 's3').sent, path.sent)
      assert.equal(sent.pathname + sent.search.slice(1), path.sent + query.sent)
      assert.ok(!hasDotSegment(sent.pathname))
      // Elsewhere than in S3, what is sent has every escape and slash of the caller's.
      const other = canonicalPath(url, 'double').sent
      assert.equal(percentDecode(other), bytes)
      assert.equal(canonicalPath({ origin: url.origin, pathname: other }, 'double').sent, other)
    },
  },
  {
    name: 'the Location of a redirect',
    samples: ['/there?a=b#c', 'https://elsewhere.example/', '//elsewhere.example', '../up'],
    tokens: [...urlTokens, 'https:', 'javascript:', 'user:password@', '\xc3\xa9', '\xff'],
    check(text) {
      const get = (name: string): string | null => (name === 'location' ? text : null)
      const response = { status: 302, headers: { get } } as never
      const target = orRejected(['ERR_AUTH_REDIRECT'], () =>
        readRedirectTarget(response, new URL(base)),
      )
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
      const covers = orRejected(['TypeError'], () => matchOrigins([text], '[p] f', 'origins'))
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
    name: 'a host of AWS',
    samples: [
      'a.b.s3.eu-west-1.amazonaws.com',
      'search-a.us-east-1.es.amazonaws.com',
      'point.accesspoint.vpce-1a.s3.us-east-1.vpce.amazonaws.com',
      'api-fips.sagemaker.us-gov-west-1.amazonaws.com',
    ],
    tokens: [
      '.',
      '-',
      's3',
      'vpce',
      'vpce-',
      'dualstack',
      '-fips',
      'us-east-1',
      'cn-north-1',
      'us-gov',
      'global',
      '.amazonaws.com',
      '.cn',
      '.on.aws',
      '.api.aws',
      'evil.example',
      '*',
      '@',
      '%',
      'a',
    ],
    check(text) {
      // Node's `URL.canParse` takes some long hosts that `new URL` refuses.
      const url = orRejected(['TypeError'], () => new URL(`https://${text}/`))
      if (!url) return
      const { hostname } = url
      const reading = readHost(url)
      if (!reading?.service) return
      // Nothing is read from what is not below a domain of AWS, and nothing is made up.
      assert.match(hostname, /\.(?:amazonaws\.com(?:\.cn)?|(?:api|on)\.aws)$/)
      assert.match(
        `${reading.service} ${reading.region ?? reading.home}`,
        /^[\w-]+ [a-z]+-[a-z-]+-\d+$/,
      )
      if (reading.bucket) assert.ok(hostname.startsWith(`${reading.bucket}.`))
    },
  },
  {
    name: 'a base URL',
    samples: [base, `${base}/api/`, 'http://127.0.0.1:9000'],
    tokens: [...urlTokens, 'https://', 'user@'],
    check(text) {
      const url = orRejected(['TypeError'], () => parseBaseUrl(text, '[p] f'))
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
        const headers = orRejected(['ERR_AUTH_HEADER'], () =>
          OutgoingHeaders.read([['x-own', 'a'], [...pair]]),
        )
        for (const [name, value] of headers ?? []) assert.ok(!/[\r\n\0]/.test(name + value))
      }
    },
  },
]
