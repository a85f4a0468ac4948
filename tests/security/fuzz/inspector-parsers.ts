import assert from 'node:assert/strict'
import { readResponse, readSignature } from '@svc/auth-sigv4/inspect'
import { readCurl } from '../../../site/inspector/src/input/curl.ts'
import { readHarEntries, readHarEntry } from '../../../site/inspector/src/input/har.ts'
import { InputError } from '../../../site/inspector/src/input/input-error.ts'
import { byteString, type PastedRequest } from '../../../site/inspector/src/input/pasted-request.ts'
import { readRawHttp } from '../../../site/inspector/src/input/raw-http.ts'
import { recognise } from '../../../site/inspector/src/input/recognise.ts'
import { readFragment, writeFragment } from '../../../site/inspector/src/share/fragment.ts'
import type { Parser } from './parser.ts'

/** Runs a parser of the inspector, of which nothing may come but a request that can be read on, or its own error. */
function checkRequest(read: () => PastedRequest): void {
  let request: PastedRequest
  try {
    request = read()
  } catch (error) {
    assert.ok(error instanceof InputError, String(error))
    assert.ok(error.message.length < 500, error.message)
    assert.ok(error.line === undefined || error.line >= 1)
    return
  }
  assert.match(request.method, /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/)
  assert.match(request.url, /^https?:\/\/[^/?#@]/)
  assert.ok(URL.canParse(request.url))
  for (const [name, value] of request.headers) assert.ok(!/[\r\n\0]/.test(name + value))
  recognise(request.url)
}

const scope = 'KEY/20260102/us-east-1/s3/aws4_request'
const signature = 'a'.repeat(64)
const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${signature}`
const httpTokens = [
  'GET',
  ' ',
  '\t',
  '/',
  '//',
  '?',
  'HTTP/1.1',
  '\n',
  '\r\n',
  ':',
  ': ',
  'host',
  'Host: a',
  ':path',
  '@',
  'https://',
  '\0',
  'é',
  '\u202e',
  '0\r\n',
  '4\r\nab',
]

/** Parsers of what is pasted into the inspector, and of the links that it shares. */
export const inspectorParsers: readonly Parser[] = [
  {
    name: 'a raw request that is pasted',
    samples: [
      `GET /a?b=c HTTP/1.1\r\nHost: a.example\r\nAuthorization: ${authorization}\r\n\r\nbody`,
      ':method: GET\n:path: /\n:authority: a.example\n',
      'PUT http://a.example/ HTTP/1.1\nTransfer-Encoding: chunked\n\n4\r\nWiki\r\n0\r\n\r\n',
    ],
    tokens: httpTokens,
    check: (text) => checkRequest(() => readRawHttp(text)),
  },
  {
    name: 'a curl command that is pasted',
    samples: [
      "curl -X PUT 'https://a.example/b' -H \"x: y\" --data-raw $'a\\nb' \\\n --user a:b --aws-sigv4 aws:amz:r:s",
      'curl ^"https://a.example/^" ^\n -H ^"a: b^"',
    ],
    tokens: [
      "'",
      '"',
      "$'",
      '\\',
      '\\\n',
      '^"',
      '-H ',
      '-d ',
      '-G ',
      '--data-urlencode ',
      '--request-target ',
      '--url-query ',
      '--new ',
      '/../',
      '\\xc3',
      '&',
      ' ',
      '\\u00e9',
      '@',
      'https://a.example/',
    ],
    check: (text) => checkRequest(() => readCurl(text)),
  },
  {
    name: 'a HAR that is pasted',
    samples: [
      '{"log":{"entries":[{"request":{"method":"GET","url":"https://a.example/","headers":[{"name":"a","value":"b"}],"postData":{"text":"aGk=","encoding":"base64"}},"response":{"status":403,"headers":[],"content":{"text":"x"}}}]}}',
    ],
    tokens: [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"log":',
      '"entries":',
      '"request":',
      '"url":',
      '"__proto__":',
      'null',
      '1',
      '\\u0000',
      '\n',
      ' ',
    ],
    check(text) {
      let entries: readonly unknown[]
      try {
        entries = readHarEntries(text)
      } catch (error) {
        assert.ok(error instanceof InputError, String(error))
        return
      }
      for (const entry of entries.slice(0, 20)) checkRequest(() => readHarEntry(entry))
    },
  },
  {
    name: 'the fragment of a shared link',
    samples: [
      writeFragment({
        version: 1,
        form: 'header',
        findings: ['The signature is right'],
        canonicalRequest: [{ line: 'path', text: '/a', theirs: '/b' }],
        stringToSign: [],
      }),
    ],
    tokens: ['#shared=', 'e', 'yJ', '=', '-', '_', '%', '#', 'eyJ2ZXJzaW9uIjox', '\0', 'é'],
    check(text) {
      const shared = readFragment(text)
      if (shared) assert.deepEqual(readFragment(writeFragment(shared)), shared)
    },
  },
  {
    name: 'a signature that is inspected',
    samples: [authorization, authorization.replaceAll(', ', ',')],
    tokens: [
      'AWS4-HMAC-SHA256',
      'Credential=',
      'SignedHeaders=',
      'Signature=',
      scope,
      ',',
      ';',
      '/',
      '=',
      ' ',
      '\t',
      'host',
      signature,
      'é',
    ],
    check(text) {
      const headers = [['authorization', byteString(text)]] as const
      const read = readSignature({ method: 'GET', url: 'https://a.example/a?b', headers })
      assert.equal(read !== undefined, /^[\t ]*AWS4-/i.test(text))
      const query = readSignature({
        method: 'GET',
        url: `https://a.example/?${byteString(text).replaceAll('#', '')}&X-Amz-Signature=a`,
        headers: [],
      })
      assert.equal(query?.form, 'query')
    },
  },
  {
    name: 'a response that is pasted',
    samples: [
      'HTTP/1.1 403 Forbidden\r\nDate: today\r\n\r\n<Error/>',
      'HTTP/1.1 100 Continue\n\nHTTP/2 200\n\n',
    ],
    tokens: [
      'HTTP/1.1 ',
      'HTTP/2',
      '200',
      '\n',
      '\r\n',
      '\r\n\r\n',
      ':',
      'a: b',
      ' ',
      '\t',
      '<',
      '\0',
    ],
    check(text) {
      const { status, body } = readResponse(text)
      assert.ok(status === undefined || (status >= 0 && status <= 999))
      assert.ok(text.endsWith(body))
    },
  },
]
