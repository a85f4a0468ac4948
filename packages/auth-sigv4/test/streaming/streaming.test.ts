import { Readable } from 'node:stream'
import { authorizeRequest, kyAuthHooks } from '@svc/auth-hooks'
import { authFetch, authKy, type SigV4AuthOptions } from '@svc/auth-sigv4'
import { explain } from '@svc/auth-sigv4/explain'
import { streaming, type StreamingOptions } from '@svc/auth-sigv4/streaming'
import type { AuthScheme } from '@svc/types'
import fc from 'fast-check'
import ky from 'ky'
import ky1 from 'ky1'
import { describe, expect, test } from 'vitest'
import { collect, memoryBody, streamFrom, streamInit } from '../support/bodies.ts'
import { engines, exampleAuth, outgoingRequest } from '../support/signing.ts'
import { crc32cBitByBit } from '../support/crc32c.ts'
import { serveUploads, type UploadServerOptions } from './upload-server.ts'
import { verifyUpload } from './verified-upload.ts'

interface Setup extends Partial<Omit<SigV4AuthOptions, 'payload'>>, UploadServerOptions {
  readonly payload?: StreamingOptions
}

async function setUp({ payload, respond, begin, ...options }: Setup = {}) {
  const server = await serveUploads({ ...(respond && { respond }), ...(begin && { begin }) })
  const auth = exampleAuth({
    baseUrl: server.origin,
    payload: streaming(payload),
    clock: Date.now,
    ...options,
  })
  const verified = () => Promise.all(server.uploads.map(verifyUpload))
  return { ...server, auth, fetch: authFetch(auth), verified, url: `${server.origin}/V1/a+b.bin` }
}

/** Bytes that differ from each other, cut into pieces of some size. */
function sample(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff)
}

function* cut(bytes: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += pieceBytes) {
    // A copy: Node 26 clones all of the buffer behind each chunk of a `Request` that is cloned.
    yield bytes.slice(offset, offset + pieceBytes)
  }
}

const streamOf = (bytes: Uint8Array, pieceBytes = 10_000): ReadableStream =>
  streamFrom(cut(bytes, pieceBytes))

const length = (bytes: Uint8Array): Record<string, string> => ({
  'content-length': String(bytes.byteLength),
})

describe.each(engines)('the $name engine', (engine) => {
  test('sends streams of any length in chunks that all verify, with their length', async () => {
    const plain = await setUp({ engine })
    const trailing = await setUp({ engine, payload: { chunkBytes: 8192, trailer: 'crc32c' } })
    for (const size of [0, 1, 8191, 8192, 8193, 65_536, 65_537, 200_000]) {
      const bytes = sample(size)
      for (const { fetch, url } of [plain, trailing]) {
        const response = await fetch(url, streamInit(streamOf(bytes), length(bytes)))
        expect([size, response.status]).toEqual([size, 200])
      }
      const upload = (await plain.verified()).at(-1)
      expect(upload?.decoded.equals(bytes)).toBe(true)
      expect(upload?.chunkSizes.slice(0, -2).every((chunk) => chunk === 65_536)).toBe(true)
      const withTrailer = (await trailing.verified()).at(-1)
      expect(withTrailer?.decoded.equals(bytes)).toBe(true)
      expect(withTrailer?.chunkSizes).toHaveLength(Math.ceil(size / 8192) + 1)
      const checksum = Buffer.alloc(4)
      checksum.writeUInt32BE(crc32cBitByBit(bytes))
      expect(withTrailer?.trailer).toEqual({
        'x-amz-checksum-crc32c': checksum.toString('base64'),
      })
    }
  })
})

test('however a stream is cut, the chunks are those of chunkBytes', async () => {
  const { auth, url } = await setUp({ payload: { chunkBytes: 10_000 } })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(25_000), { maxLength: 8 }),
      fc.boolean(),
      async (sizes, hasReusedBuffer) => {
        const bytes = sample(sizes.reduce((sum, size) => sum + size, 0))
        const shared = new Uint8Array(25_000)
        const pieces = function* (): Generator<Uint8Array> {
          let offset = 0
          for (const size of sizes) {
            const piece = bytes.subarray(offset, (offset += size))
            // A source may write the next piece over the last one, which has been taken by then.
            if (hasReusedBuffer) shared.fill(0).set(piece)
            yield hasReusedBuffer ? shared.subarray(0, size) : piece
          }
        }
        const request = await authorizeRequest(
          auth,
          url,
          streamInit(
            (async function* () {
              yield* pieces()
            })(),
            length(bytes),
          ),
        )
        const taken: Buffer[] = []
        for await (const piece of request.body ?? []) taken.push(Buffer.from(piece))
        const body = Buffer.concat(taken)
        const target = new URL(request.url).pathname
        const rawHeaders = [['host', new URL(url).host] as const, ...request.headers]
        const upload = await verifyUpload({ method: 'PUT', target, rawHeaders, body })
        expect(upload.decoded.equals(bytes)).toBe(true)
        const full = Math.floor(bytes.length / 10_000)
        const last = bytes.length % 10_000
        expect(upload.chunkSizes).toEqual([
          ...Array.from({ length: full }, () => 10_000),
          ...(last > 0 ? [last] : []),
          0,
        ])
      },
    ),
    { numRuns: 60 },
  )
})

describe('the length is known', () => {
  const bytes = sample(100_000)
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)

  test.each<[what: string, init: RequestInit, expected: Uint8Array]>([
    ['of bytes', { method: 'PUT', body: bytes }, bytes],
    ['of an ArrayBuffer', { method: 'PUT', body: bytes.buffer }, bytes],
    ['of a text', { method: 'PUT', body: 'größer' }, text('größer')],
    ['of an empty text', { method: 'PUT', body: '' }, text('')],
    ['of a Blob', { method: 'PUT', body: new Blob([bytes]) }, bytes],
    ['of parameters', { method: 'POST', body: new URLSearchParams('a=b c') }, text('a=b+c')],
    ['by content-length', streamInit(streamOf(bytes), length(bytes)), bytes],
    [
      'by x-amz-decoded-content-length',
      streamInit(streamOf(bytes), { 'x-amz-decoded-content-length': '100000' }),
      bytes,
    ],
    ['of a Node stream', streamInit(Readable.from(cut(bytes, 999)), length(bytes)), bytes],
  ])('%s', async (_what, init, expected) => {
    const { fetch, verified, url } = await setUp({ payload: { trailer: 'crc32c' } })
    expect((await fetch(url, init)).status).toBe(200)
    expect((await verified())[0]?.decoded.equals(expected)).toBe(true)
  })

  test('of a form, whose boundary is the one sent', async () => {
    const { fetch, uploads, verified, url } = await setUp()
    const form = new FormData()
    form.append('file', new File([bytes], 'a.bin'))
    await fetch(url, { method: 'POST', body: form })
    const headers = { 'content-type': String(uploads[0]?.headers['content-type']) }
    const decoded = Uint8Array.from((await verified())[0]?.decoded ?? [])
    const arrived = await new Response(decoded, { headers }).formData()
    const file = arrived.get('file')
    expect(file instanceof File && Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test('of a Request, as of one that is too large to be kept', async () => {
    const { auth, verified, url } = await setUp()
    const fetch = authFetch(auth, { maxReplayBytes: 1000 * 1000 })
    const large = sample(1200 * 1000)
    await fetch(new Request(url, { method: 'PUT', body: bytes }))
    await fetch(new Request(url, streamInit(streamOf(bytes))))
    await fetch(new Request(url, streamInit(streamOf(large), length(large))))
    const [first, second, third] = (await verified()).map(({ decoded }) => decoded)
    expect(first?.equals(bytes)).toBe(true)
    expect(second?.equals(bytes)).toBe(true)
    expect(third?.equals(large)).toBe(true)
  })
})

test('the encoding and the type of the caller stay, and are signed', async () => {
  const { fetch, verified, uploads, url } = await setUp()
  const headers = { 'content-encoding': 'gzip', 'content-type': 'text/csv' }
  await fetch(url, { method: 'PUT', headers, body: 'compressed' })
  expect(await verified()).toHaveLength(1)
  expect(uploads[0]?.headers).toMatchObject({
    'content-encoding': 'aws-chunked,gzip',
    'content-type': 'text/csv',
  })
  expect(uploads[0]?.headers['authorization']).toContain('content-encoding;content-length;content-')
})

test.each([
  ['aws-chunked', 'aws-chunked'],
  ['AWS-chunked,gzip', 'AWS-chunked,gzip'],
  ['aws-chunkedx', 'aws-chunked,aws-chunkedx'],
])('the encoding %s is sent as %s', async (given, sent) => {
  const { auth, url } = await setUp()
  const { headers } = await explain(auth, url, {
    method: 'PUT',
    headers: { 'content-encoding': given },
    body: 'content',
  })
  expect(headers.get('content-encoding')).toBe(sent)
})

test.each<StreamingOptions>([{}, { trailer: 'crc32c' }])(
  'a body in chunks with %j is had whole too, by a client that takes no stream',
  async (payload) => {
    const auth = exampleAuth({ payload: streaming({ chunkBytes: 8192, ...payload }) })
    const request = outgoingRequest('https://examplebucket.s3.amazonaws.com/k', {}, 'PUT')
    const { body } = await auth.authorize({ ...request, body: memoryBody(sample(20_000)) })
    const whole = Buffer.from((await body?.bytes()) ?? [])
    expect(whole.equals(await collect(body))).toBe(true)
    expect(whole.byteLength).toBe(body?.size)
  },
)

test('a content-length that signHeaders asks for is signed as it is sent, trailer or not', async () => {
  const { fetch, verified, uploads, url } = await setUp({
    payload: { trailer: 'crc32c' },
    signHeaders: ['Content-Length'],
  })
  await fetch(url, streamInit(streamOf(sample(10)), { 'content-length': '10' }))
  expect((await verified())[0]?.chunkSizes).toEqual([10, 0])
  expect(uploads[0]?.headers['authorization']).toContain(';content-length;')
})

test('a request without body, or with a hash of the caller, is signed as ever', async () => {
  const { fetch, uploads, url } = await setUp()
  await fetch(url, { method: 'DELETE' })
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' }
  await fetch(url, { method: 'PUT', body: 'as it is', headers })
  expect(uploads.map(({ headers: sent }) => sent['x-amz-content-sha256'])).toEqual([
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'UNSIGNED-PAYLOAD',
  ])
  expect(Buffer.from(uploads[1]?.body ?? []).toString()).toBe('as it is')
})

test('explain shows the head and reads nothing of the stream', async () => {
  const { auth, url } = await setUp()
  const stream = streamOf(sample(10))
  const { payloadHash, headers } = await explain(
    auth,
    url,
    streamInit(stream, { 'content-length': '10' }),
  )
  expect(payloadHash).toBe('STREAMING-AWS4-HMAC-SHA256-PAYLOAD')
  expect(headers.get('content-length')).toBe('182')
  expect(stream.locked).toBe(false)
})

describe('sent once more', () => {
  test('bytes have a chain of their own in every attempt', async () => {
    let now = Date.UTC(2026, 0, 1)
    const { auth, uploads, verified, url } = await setUp({
      clock: () => (now += 1000),
      respond: (response, count) => response.writeHead(count === 1 ? 503 : 200).end(),
    })
    const scheme: AuthScheme = {
      ...auth,
      authorize: async (request) => ({
        ...(await auth.authorize(request)),
        review: ({ status }) => (status === 503 ? 'busy' : undefined),
      }),
    }
    const bytes = sample(70_000)
    expect((await authFetch(scheme)(url, { method: 'PUT', body: bytes })).status).toBe(200)
    expect((await verified()).map(({ decoded }) => decoded.equals(bytes))).toEqual([true, true])
    expect(uploads[0]?.headers['authorization']).not.toBe(uploads[1]?.headers['authorization'])

    // The response to a body that cannot be read again is given as it came.
    const response = await authFetch({
      ...scheme,
      authorize: async (request) => ({
        ...(await auth.authorize(request)),
        review: () => 'always',
      }),
    })(url, streamInit(streamOf(bytes), length(bytes)))
    expect(response.status).toBe(200)
    expect(await verified()).toHaveLength(3)
  })

  test('bytes are signed anew for the target of a redirect, and a stream is refused', async () => {
    const { fetch, uploads, verified, url } = await setUp({
      respond: (response, count) =>
        count === 2 ? response.end() : response.writeHead(307, { location: '/V1/there' }).end(),
    })
    await fetch(url, { method: 'PUT', body: 'moved' })
    expect((await verified()).map(({ decoded }) => decoded.toString())).toEqual(['moved', 'moved'])
    expect(uploads.map(({ target }) => target)).toEqual(['/V1/a%2Bb.bin', '/V1/there'])
    await expect(
      fetch(url, streamInit(streamOf(sample(3)), { 'content-length': '3' })),
    ).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  })

  const retry = { limit: 1, delay: () => 0 }
  test.each<[client: string, put: (url: string, auth: AuthScheme) => Promise<Response>]>([
    [
      'ky 2',
      (url, auth) => ky.extend(authKy(auth)).put(url, { body: streamOf(sample(70_000)), retry }),
    ],
    ['ky 1', (url, auth) => ky1.extend(authKy(auth)).put(url, { body: sample(70_000), retry })],
    [
      'hooks of ky 2',
      (url, auth) =>
        ky.extend({ hooks: kyAuthHooks(auth) }).put(url, { body: sample(70_000), retry }),
    ],
    [
      'hooks of ky 1',
      (url, auth) =>
        ky1.extend({ hooks: kyAuthHooks(auth) }).put(url, { body: sample(70_000), retry }),
    ],
  ])('by %s, each attempt verifies and is wrapped once', async (_client, put) => {
    const { auth, verified, url } = await setUp({
      respond: (response, count) => response.writeHead(count === 1 ? 503 : 200).end(),
    })
    expect((await put(url, auth)).status).toBe(200)
    const expected = sample(70_000)
    expect((await verified()).map(({ decoded }) => decoded.equals(expected))).toEqual([true, true])
  })
})
