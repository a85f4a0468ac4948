import { describe, expect, test } from 'vitest'
import { verifySigV4, type RawRequest, type VerifyOptions } from '@svc/emulator'
import { documentedAt, documentedKey } from '../fixtures/s3-documented-examples.ts'
import {
  documentedChunked,
  documentedDerivations,
  documentedPayload,
  documentedSigningKey,
  documentedTrailer,
} from '../fixtures/s3-documented-streams.ts'
import { flip, oneFlipOfEachByte } from '../support/flips.ts'
import { listening } from '../support/emulator.ts'
import { frame, join, signChunks, type ChunkedInput, type Piece } from '../support/sign-chunks.ts'
import { testAt, testKey } from '../support/sign.ts'
import { deriveSigningKey } from '../testing.ts'

const options: VerifyOptions = { apiKeys: [testKey], region: 'us-east-1', clock: () => testAt }

const verify = (input: ChunkedInput) => verifySigV4(signChunks(input), options)

describe('the signing keys of the documents', () => {
  test.each(documentedDerivations)('$service, $date', ({ secret, expect: key, ...scope }) => {
    expect(Buffer.from(deriveSigningKey(secret, scope)).toString('hex')).toBe(key)
  })

  test('that of the S3 examples', () => {
    const scope = { date: '20130524', region: 'us-east-1', service: 's3' }
    const key = deriveSigningKey(documentedKey.secretAccessKey, scope)
    expect(Buffer.from(key).toString('hex')).toBe(documentedSigningKey)
  })
})

describe.each([
  { name: 'PAYLOAD' as const, example: documentedChunked, trailers: [] },
  {
    name: 'PAYLOAD-TRAILER' as const,
    example: documentedTrailer,
    trailers: [['x-amz-checksum-crc32c', 'sOO8/Q=='] as const],
  },
])('the example of the S3 documents for STREAMING-AWS4-HMAC-SHA256-$name', (published) => {
  const { name, example, trailers } = published
  const documented: VerifyOptions = {
    apiKeys: [documentedKey],
    region: 'us-east-1',
    clock: () => documentedAt,
  }
  const scope = '20130524/us-east-1/s3/aws4_request'
  const [method = '', target = '', , ...lines] = example.canonicalRequest.split('\n')
  const headers = lines
    .slice(0, lines.indexOf(''))
    .map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ])
  const signedHeaders = headers.map(([header]) => header).join(';')
  const authorization = `AWS4-HMAC-SHA256 Credential=${documentedKey.accessKeyId}/${scope},SignedHeaders=${signedHeaders},Signature=${example.signature}`
  const { pieces, stringsToSign } = frame({
    payload: name,
    chunks: [documentedPayload.subarray(0, 65_536), documentedPayload.subarray(65_536)],
    trailers,
    seed: example.signature,
    amzDate: '20130524T000000Z',
    scope,
    key: documentedKey,
  })

  const build = (changed: { headers?: typeof headers; body?: Uint8Array }): RawRequest => {
    const body = changed.body ?? join(pieces)
    const sent = changed.headers ?? headers
    const hasLength = sent.some(([header]) => header === 'content-length')
    return {
      method,
      target,
      rawHeaders: [
        ...sent,
        ...(hasLength ? [] : [['content-length', String(body.byteLength)] as const]),
        ['authorization', authorization],
      ],
      body,
    }
  }

  test('the test frames it as the document does', () => {
    const heads = pieces.filter(({ part }) => part.startsWith('head'))
    expect(heads.map(({ bytes }) => bytes.toString())).toEqual(
      example.chunks.map(({ header }) => `${header}\r\n`),
    )
    expect(stringsToSign.slice(0, 3)).toEqual(example.chunks.map((chunk) => chunk.stringToSign))
    expect(join(pieces).byteLength).toBe(example.wireLength)
  })

  test('verifies, with every intermediate, and gives the data without its framing', async () => {
    expect(await verifySigV4(build({}), documented)).toMatchObject({
      ok: true,
      payload: name === 'PAYLOAD' ? 'signed-chunks' : 'signed-chunks-trailer',
      canonicalRequest: example.canonicalRequest,
      stringToSign: example.stringToSign,
      body: documentedPayload,
    })
  })

  test.each([
    ...example.chunks.map((chunk, index) => ({ part: `head ${index + 1}`, ...chunk })),
    ...('trailer' in example ? [{ part: 'trailer signature', ...example.trailer }] : []),
  ])(
    'a wrong signature in $part is refused with the string to sign of the document',
    async ({ part, signature, stringToSign }) => {
      const wrong = signature.split('').toReversed().join('')
      const body = join(change(pieces, part, (text) => text.replace(signature, wrong)))
      expect(await verifySigV4(build({ body }), documented)).toMatchObject({
        code: 'SignatureDoesNotMatch',
        status: 403,
        canonicalRequest: example.canonicalRequest,
        stringToSign,
        signatureProvided: wrong,
      })
    },
  )

  test.each(headers.map(([header, value]) => [header, value] as const))(
    'a flip in each byte of the header %s is refused',
    async (header, value) => {
      const flips = oneFlipOfEachByte(value)
      const found = await Promise.all(
        flips.map((text) => {
          const changed = headers.map((pair): [string, string] =>
            pair[0] === header ? [header, text] : pair,
          )
          return verifySigV4(build({ headers: changed }), documented)
        }),
      )
      expect(flips.filter((_, index) => found[index]?.ok !== false)).toEqual([])
    },
  )

  test.each(pieces.map(({ part }) => part))(
    'a flip in each byte of the %s is refused',
    async (part) => {
      const piece = pieces.find((candidate) => candidate.part === part)
      const text = piece?.bytes.toString('latin1') ?? ''
      const found: string[] = []
      for (const [index, bit] of sampled(text)) {
        const changed = flip(text, index, bit)
        // The names of trailers are like those of headers.
        if (part.startsWith('trailer') && changed.toLowerCase() === text.toLowerCase()) continue
        const body = join(change(pieces, part, () => changed))
        const { ok } = await verifySigV4(build({ body }), documented)
        if (ok) found.push(changed)
      }
      expect(found).toEqual([])
    },
  )
})

describe('unsigned chunks with a trailer, as the AWS SDK for JavaScript sends them,', () => {
  const input = {
    payload: 'UNSIGNED-TRAILER',
    trailers: [['x-amz-checksum-crc32', '+T7Aog==']],
  } as const

  test('are taken for the data that they hold', async () => {
    const signed = signChunks(input)
    expect(await verifySigV4(signed, options)).toMatchObject({
      ok: true,
      payload: 'unsigned-chunks-trailer',
      body: new Uint8Array(Buffer.from(signed.data)),
    })
  })

  test('may come without a trailer', async () => {
    expect(await verify({ payload: 'UNSIGNED-TRAILER' })).toMatchObject({ ok: true })
  })

  test('are refused with a flip in any byte', async () => {
    const signed = signChunks(input)
    for (const { part, bytes } of signed.pieces) {
      const text = bytes.toString('latin1')
      for (const [index, bit] of sampled(text)) {
        const changed = flip(text, index, bit)
        if (changed.toLowerCase() === text.toLowerCase() && !part.startsWith('data')) continue
        const body = join(change(signed.pieces, part, () => changed))
        const { ok } = await verifySigV4({ ...signed, body }, options)
        expect(ok, `${part}: ${JSON.stringify(changed.slice(0, 80))}`).toBe(false)
      }
    }
  })
})

describe('a body in chunks', () => {
  test.each(['PAYLOAD', 'PAYLOAD-TRAILER', 'UNSIGNED-TRAILER'] as const)(
    'may be empty, or one byte, or many chunks: %s',
    async (payload) => {
      const sizes = [[], [1], [8192], [8192, 1], [8192, 70_000, 8193, 8191]]
      for (const chunks of sizes.map((some) => some.map((size) => Buffer.alloc(size, 'x')))) {
        const verification = await verify({ payload, chunks })
        expect(verification.ok && Buffer.from(verification.body)).toEqual(Buffer.concat(chunks))
      }
    },
  )

  test('may come with several trailers, signed in the order of their names', async () => {
    const trailers = [
      ['x-amz-checksum-sha1', 'T802k0g/ssXYQMdSmTJn60CpqEo='],
      ['x-amz-checksum-crc64nvme', 'SWMMR3b+DbA='],
    ] as const
    expect(await verify({ payload: 'PAYLOAD-TRAILER', trailers })).toMatchObject({ ok: true })
  })

  test('may come with its sizes in upper case, and zeros before them', async () => {
    const chunks = [Buffer.alloc(0xabcd, 'a')]
    const signed = signChunks({ chunks })
    const body = join(change(signed.pieces, 'head 1', (text) => text.replace('abcd', '00ABCD')))
    const rawHeaders = withHeader(signed.rawHeaders, 'content-length', String(body.byteLength))
    expect(await verifySigV4({ ...signed, rawHeaders, body }, options)).toMatchObject({ ok: true })
  })

  test('may come in transfer chunks without a length of its own', async () => {
    const unsignedHeaders = [['transfer-encoding', 'chunked']] as const
    expect(await verify({ contentLength: undefined, unsignedHeaders })).toMatchObject({ ok: true })
  })

  test.each<[behaviour: string, input: ChunkedInput, expected: object]>([
    [
      'without x-amz-decoded-content-length',
      { decodedLength: undefined },
      { code: 'MissingContentLength', status: 411 },
    ],
    [
      'with an x-amz-decoded-content-length that is none',
      { decodedLength: '9e3' },
      { code: 'MissingContentLength', status: 411 },
    ],
    [
      'that is longer than announced',
      { decodedLength: '9003' },
      {
        code: 'IncompleteBody',
        status: 400,
        details: [
          ['NumberBytesExpected', '9003'],
          ['NumberBytesProvided', '9004'],
        ],
      },
    ],
    ['that is shorter than announced', { decodedLength: '9005' }, { code: 'IncompleteBody' }],
    [
      'without a length on the wire',
      { contentLength: undefined },
      { code: 'MissingContentLength', status: 411 },
    ],
    ['with a length that is none', { contentLength: 'x' }, { code: 'MissingContentLength' }],
    ['with another length on the wire', { contentLength: '9000' }, { code: 'IncompleteBody' }],
    [
      'with a chunk below 8 KiB that is not the last',
      { chunks: [Buffer.alloc(9000), Buffer.alloc(8191), Buffer.alloc(1)] },
      {
        code: 'InvalidChunkSizeError',
        status: 403,
        details: [
          ['Chunk', '3'],
          ['BadChunkSize', '8191'],
        ],
      },
    ],
    [
      'with a trailer that is not announced',
      { trailers: [['x-amz-checksum-crc32', '+T7Aog==']], announced: 'x-amz-checksum-sha1' },
      { code: 'MalformedTrailerError', status: 400 },
    ],
    [
      'without the trailer that is announced',
      { announced: 'x-amz-checksum-crc32' },
      { code: 'MalformedTrailerError' },
    ],
    [
      'with a trailer beside the one that is announced',
      {
        trailers: [
          ['x-amz-checksum-crc32', '+T7Aog=='],
          ['x-amz-meta-note', 'a'],
        ],
        announced: 'x-amz-checksum-crc32',
      },
      { code: 'MalformedTrailerError' },
    ],
    [
      'with a trailer that is no checksum',
      { trailers: [['x-amz-meta-note', 'a']] },
      {
        code: 'InvalidRequest',
        status: 400,
        message: 'The value specified in the x-amz-trailer header is not supported',
      },
    ],
    [
      'with a checksum of other data',
      { trailers: [['x-amz-checksum-crc32', 'AAAAAA==']] },
      {
        code: 'BadDigest',
        status: 400,
        message: 'The CRC32 you specified did not match the calculated checksum.',
      },
    ],
    [
      'with a checksum that is none',
      { trailers: [['x-amz-checksum-crc32', 'AAAA']] },
      {
        code: 'InvalidRequest',
        message: 'Value for x-amz-checksum-crc32 trailing header is invalid.',
      },
    ],
  ])('%s is refused', async (_, input, expected) => {
    const payloads = ['PAYLOAD', 'PAYLOAD-TRAILER', 'UNSIGNED-TRAILER'] as const
    const hasTrailer = 'trailers' in input || 'announced' in input
    for (const payload of hasTrailer ? payloads.slice(1) : payloads) {
      expect(await verify({ payload, ...input })).toMatchObject({ ok: false, ...expected })
    }
  })

  const signed = signChunks({
    payload: 'PAYLOAD-TRAILER',
    chunks: [Buffer.alloc(9000, 'a'), Buffer.alloc(8192, 'b')],
    trailers: [['x-amz-checksum-crc32', 'uH0cew==']],
  })
  const drop = (...names: string[]) => signed.pieces.filter(({ part }) => !names.includes(part))
  test.each<[behaviour: string, pieces: readonly Piece[], code: string]>([
    ['without its final chunk', drop('head 3'), 'IncompleteBody'],
    [
      'that ends before its final chunk',
      signed.pieces.slice(
        0,
        signed.pieces.findIndex(({ part }) => part === 'head 3'),
      ),
      'IncompleteBody',
    ],
    ['without a chunk in its middle', drop('head 2', 'data 2', 'end 2'), 'SignatureDoesNotMatch'],
    [
      'with two chunks the other way round',
      [...signed.pieces.slice(3, 6), ...signed.pieces.slice(0, 3), ...signed.pieces.slice(6)],
      'SignatureDoesNotMatch',
    ],
    [
      'with a chunk twice',
      [...signed.pieces.slice(0, 3), ...signed.pieces],
      'SignatureDoesNotMatch',
    ],
    ['with a chunk of too little data', drop('data 2'), 'IncompleteBody'],
    [
      'with a chunk of too much data',
      change(signed.pieces, 'data 2', (text) => `${text}x`),
      'IncompleteBody',
    ],
    [
      'with data that was changed',
      change(signed.pieces, 'data 2', (text) => text.replace('b', 'B')),
      'SignatureDoesNotMatch',
    ],
    [
      'with a size that is none',
      change(signed.pieces, 'head 2', (text) => `-${text}`),
      'IncompleteBody',
    ],
    [
      'with a size beyond all bounds',
      change(signed.pieces, 'head 2', (text) => text.replace('2000', 'fffffffffffffff')),
      'IncompleteBody',
    ],
    [
      'with an extension that is not known',
      change(signed.pieces, 'head 2', (text) => text.replace('chunk-', 'other-')),
      'IncompleteBody',
    ],
    [
      'with a chunk that is not signed',
      change(signed.pieces, 'head 2', (text) => text.replace(/;.*\r/, '\r')),
      'IncompleteBody',
    ],
    [
      'with bare line feeds',
      change(signed.pieces, 'head 2', (text) => text.replace('\r', '')),
      'IncompleteBody',
    ],
    ['without its trailer', drop('trailer x-amz-checksum-crc32'), 'SignatureDoesNotMatch'],
    ['without the signature of its trailer', drop('trailer signature'), 'MalformedTrailerError'],
    [
      'with a trailer behind the signature',
      [...drop('end'), { part: 'more', bytes: Buffer.from('a:b\r\n\r\n') }],
      'MalformedTrailerError',
    ],
    [
      'with a trailer that is no header',
      change(signed.pieces, 'trailer x-amz-checksum-crc32', (text) => text.replace(':', ' ')),
      'MalformedTrailerError',
    ],
    ['without its last line', drop('end'), 'IncompleteBody'],
    [
      'with anything behind its end',
      [...signed.pieces, { part: 'more', bytes: Buffer.from('x') }],
      'IncompleteBody',
    ],
    ['that is empty', [], 'IncompleteBody'],
  ])('%s is refused', async (_, pieces, code) => {
    const body = join(pieces)
    const rawHeaders = withHeader(signed.rawHeaders, 'content-length', String(body.byteLength))
    expect(await verifySigV4({ ...signed, rawHeaders, body }, options)).toMatchObject({
      ok: false,
      code,
    })
  })

  test('with trailers where none may be is refused', async () => {
    const plain = signChunks()
    const body = join([
      ...plain.pieces.slice(0, -1),
      { part: 'trailer', bytes: Buffer.from('x-amz-checksum-crc32:+T7Aog==\r\n\r\n') },
    ])
    const rawHeaders = withHeader(plain.rawHeaders, 'content-length', String(body.byteLength))
    expect(await verifySigV4({ ...plain, rawHeaders, body }, options)).toMatchObject({
      code: 'IncompleteBody',
    })
  })

  test('with content-md5 is held to the data, not to the framing', async () => {
    const chunks = [Buffer.from('hello')]
    const headers = [['content-md5', 'XUFAKrxLKna5cZ2REBfFkg==']] as const
    expect(await verify({ chunks, headers })).toMatchObject({ ok: true })
  })
})

test('in process, a body in chunks needs no content-length, which no socket brought', async () => {
  const { emulator } = await listening()
  const chunked = signChunks({ contentLength: undefined })
  const response = await emulator.fetch('http://localhost/V1/object', {
    method: 'PUT',
    headers: Object.fromEntries(chunked.rawHeaders.filter(([name]) => name !== 'host')),
    body: new Uint8Array(chunked.body),
  })
  expect(response.status).toBe(200)
})

/** Samples every byte of a short text, and some of a long one; another bit each time. */
function sampled(text: string): [index: number, bit: number][] {
  const step = text.length <= 256 ? 1 : Math.ceil(text.length / 40)
  const indexes = Array.from({ length: Math.ceil(text.length / step) }, (_, turn) => turn * step)
  return [...indexes, text.length - 1].map((index, turn) => [index, (turn * 3) % 8])
}

function change(
  pieces: readonly Piece[],
  part: string,
  edit: (text: string) => string,
): readonly Piece[] {
  return pieces.map((piece) =>
    piece.part === part
      ? { part, bytes: Buffer.from(edit(piece.bytes.toString('latin1')), 'latin1') }
      : piece,
  )
}

function withHeader(
  rawHeaders: RawRequest['rawHeaders'],
  name: string,
  value: string,
): RawRequest['rawHeaders'] {
  return [...rawHeaders.filter(([candidate]) => candidate !== name), [name, value]]
}
