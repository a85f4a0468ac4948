import assert from 'node:assert/strict'
import { createEmulator, verifySigV4, type RawRequest } from '@svc/emulator'
import { readAwsChunked } from '../../../packages/emulator/src/aws-chunked.ts'
import type { Parser } from './parser.ts'

const scope = 'KEY/20260102/us-east-1/s3/aws4_request'
const hex = 'a'.repeat(64)
const options = {
  apiKeys: [{ accessKeyId: 'KEY', secretAccessKey: 'secret' }],
  region: 'us-east-1',
  clock: () => Date.UTC(2026, 0, 2, 3, 4, 5),
}
const rawHeaders = [
  ['host', 'localhost'],
  ['x-amz-date', '20260102T030405Z'],
  ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
] as const
const emulator = createEmulator({ maxRecordedRequests: 1 })

async function isRefused(request: Partial<RawRequest>): Promise<void> {
  const verification = await verifySigV4(
    { method: 'GET', target: '/V1/a', rawHeaders, body: new Uint8Array(), ...request },
    options,
  )
  // Nobody here has the key, so whatever is accepted was forged.
  assert.ok(!verification.ok)
  assert.ok(verification.status >= 400 && verification.status < 500, String(verification.status))
}

/** Whatever the emulator reads of a request. */
export const emulatorParsers: readonly Parser[] = [
  {
    name: 'an Authorization header',
    samples: [
      `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${hex}`,
    ],
    tokens: [
      'AWS4-HMAC-SHA256',
      ' ',
      ',',
      ', ',
      ';',
      '=',
      '/',
      'Credential=',
      'SignedHeaders=',
      'Signature=',
      scope,
      'host',
      hex,
      '\t',
      '\0',
      'é',
      '\n',
    ],
    check: (text) => isRefused({ rawHeaders: [...rawHeaders, ['authorization', text]] }),
  },
  {
    name: 'a presigned query',
    samples: [
      `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(scope)}&X-Amz-Date=20260102T030405Z&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=${hex}`,
    ],
    tokens: [
      '&',
      '=',
      '%',
      '%2F',
      '%00',
      '+',
      ';',
      'X-Amz-Algorithm',
      'X-Amz-Credential',
      'X-Amz-Date',
      'X-Amz-Expires',
      'X-Amz-SignedHeaders',
      'X-Amz-Signature',
      '604801',
      '-1',
      'host',
      hex,
      'é',
      '?',
      '#',
    ],
    check: (text) => isRefused({ target: `/V1/a?${text}` }),
  },
  {
    name: 'a signed header of the request',
    samples: [' a  b ', 'text/plain'],
    tokens: ['a', ' ', '\t', '  ', ',', '\0', 'é', '"'],
    check: (text) =>
      isRefused({
        rawHeaders: [
          ...rawHeaders,
          ['x-amz-meta-a', text],
          [
            'authorization',
            `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-meta-a, Signature=${hex}`,
          ],
        ],
      }),
  },
  {
    name: 'an aws-chunked body',
    samples: [
      `4;chunk-signature=${hex}\r\ndata\r\n0;chunk-signature=${hex}\r\n\r\n`,
      `0;chunk-signature=${hex}\r\nx-amz-checksum-crc32:AAAAAA==\r\nx-amz-trailer-signature:${hex}\r\n\r\n`,
      '4\r\ndata\r\n0\r\nx-amz-checksum-crc32: AAAA \r\n\r\n',
    ],
    tokens: [
      '0',
      '4',
      'ffffffffffff',
      ';chunk-signature=',
      hex,
      '\r\n',
      '\n',
      'data',
      'x-amz-trailer-signature:',
      'a:',
      ' ',
      '\t',
      'b',
      '\0',
      '\xff',
    ],
    check(text) {
      const body = Buffer.from(text, 'latin1')
      for (const kind of [
        'signed-chunks',
        'signed-chunks-trailer',
        'unsigned-chunks-trailer',
      ] as const) {
        const read = readAwsChunked(body, kind)
        if (!read.ok) continue
        const size = read.chunks.reduce((sum, { data }) => sum + data.byteLength, 0)
        assert.ok(size <= body.byteLength)
        assert.equal(read.chunks.at(-1)?.data.byteLength, 0)
      }
    },
  },
  {
    name: 'a request to the emulator',
    samples: ['/user/groups', '/V1/?list-type=2&prefix=a', '/V1/a%2Fb'],
    tokens: [
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '%',
      '%zz',
      '?',
      '&',
      '=',
      '+',
      'list-type=2',
      'max-keys=',
      'user',
      'V1',
      'é',
      'bytes=0-',
      'Bearer ',
    ],
    async check(text) {
      const url = URL.canParse(`http://localhost/${text}`)
        ? `http://localhost/${text}`
        : 'http://localhost/'
      const value = text.replace(/[^\x20-\x7e]/g, '')
      for (const name of ['range', 'x-svc-security-token', 'authorization']) {
        const { status } = await emulator.fetch(url, { headers: { [name]: value } })
        assert.ok(status >= 400 && status < 500, String(status))
      }
    },
  },
]
