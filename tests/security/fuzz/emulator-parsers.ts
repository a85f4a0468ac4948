import assert from 'node:assert/strict'
import { createEmulator, defaultUsers, verifySigV4, type RawRequest } from '@svc/emulator'
import { createChunkReader } from '../../../packages/emulator/src/sigv4/chunks.ts'
import { createBodyDigests } from '../../../packages/emulator/src/sigv4/checksums.ts'
import { objectRoutes } from '../../../packages/emulator/src/objects/routes.ts'
import { createObjectStore } from '../../../packages/emulator/src/objects/store.ts'
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
const service = 'http://localhost'
const objects = createObjectStore()
objects.put('a', Buffer.from('content'), {}, 0)
objects.put('b/c', Buffer.from('more'), {}, 0)

/** The status that a good signature gets from the emulator, or `undefined` where there is nothing. */
function statusOf(path: string, query: string, headers: RawRequest['rawHeaders'] = []) {
  const request = {
    method: 'GET',
    target: path + query,
    rawHeaders: headers,
    body: Buffer.alloc(0),
  }
  return objectRoutes(request, path, 'us-east-1', objects, 0)?.status
}

async function isRefused(request: Partial<RawRequest>): Promise<void> {
  const verification = await verifySigV4(
    { method: 'GET', target: '/V1/a', rawHeaders, body: new Uint8Array(), ...request },
    options,
  )
  // Nobody here has the key, so whatever is accepted was forged.
  assert.ok(!verification.ok)
  assert.ok(verification.status >= 400 && verification.status < 500, String(verification.status))
}

/** Parsers of what the emulator reads of a request. */
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
        let [size, heldInWhole] = [0, 0]
        const whole = createChunkReader(kind, {
          data: (piece) => (heldInWhole += piece.byteLength),
          chunkEnd: () => {},
        })
        whole.write(body)
        const inPieces = createChunkReader(kind, {
          data: (piece) => (size += piece.byteLength),
          chunkEnd: () => {},
        })
        for (let at = 0; at < body.byteLength; at += 3) inPieces.write(body.subarray(at, at + 3))
        assert.ok(size <= body.byteLength)
        // The borders of what arrives at once mean nothing.
        assert.deepEqual(inPieces.end(), whole.end())
        assert.equal(size, heldInWhole)
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
      'Bearer ',
    ],
    async check(text) {
      const url = URL.canParse(`${service}/${text}`) ? `${service}/${text}` : `${service}/`
      const value = text.replace(/[^\x20-\x7e]/g, '')
      for (const name of ['x-svc-security-token', 'authorization']) {
        const { status } = await emulator.fetch(url, { headers: { [name]: value } })
        assert.ok(status >= 400 && status < 500, String(status))
      }
    },
  },
  {
    name: 'the query of a listing',
    samples: ['list-type=2&prefix=a&max-keys=1', 'delimiter=/&encoding-type=url', 'location'],
    tokens: [
      '&',
      '=',
      '%',
      '%2F',
      '%00',
      '+',
      'list-type=2',
      'max-keys=',
      '0',
      '999999999',
      '-1',
      'continuation-token=',
      'start-after=',
      'marker=',
      'delimiter=',
      'a',
      'Ã©',
      '\0',
    ],
    check(text) {
      const status = statusOf('/V1/', `?${text}`)
      assert.ok(status === 200 || status === 400, String(status))
    },
  },
  {
    name: 'a range and a digest',
    samples: ['bytes=0-2', 'bytes=-0', 'AAAAAA==', 'q1Z7oQ=='],
    tokens: ['bytes=', '-', '0', '9', ',', '*', '=', 'A', ' ', '\t', '\0', 'Ã©'],
    check(text) {
      const status = statusOf('/V1/a', '', [['range', text]])
      assert.ok(status === 200 || status === 206 || status === 416, String(status))
      for (const name of ['content-md5', 'x-amz-checksum-crc32', 'x-amz-checksum-sha256']) {
        const put = { method: 'PUT', target: '/V1/a', rawHeaders: [[name, text]] as const }
        const digests = createBodyDigests(put, [])
        digests.update(Buffer.from('x'))
        const refused = digests.end([])
        assert.equal(refused?.status, 400)
      }
    },
  },
  {
    name: 'the body of a login',
    samples: [
      JSON.stringify({ Username: defaultUsers[0].username, Password: 'a', UniqueSession: true }),
      '{"Username":"a","Password":"b","ParentUid":"c"}',
    ],
    tokens: [
      '{',
      '}',
      '[',
      '"',
      ':',
      ',',
      '\\',
      '\\u0000',
      'null',
      '1e999',
      '__proto__',
      '\ufeff',
      '\ud800',
    ],
    async check(text) {
      const { status } = await emulator.fetch(`${service}/user/login`, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'x-svc-route-token': 'login',
        },
        body: text,
      })
      assert.ok(status === 400 || status === 401, String(status))
    },
  },
]
