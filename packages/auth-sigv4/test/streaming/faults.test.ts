import { Readable } from 'node:stream'
import { authFetch } from '@svc/auth-sigv4'
import { streaming, type StreamingOptions } from '@svc/auth-sigv4/streaming'
import { describe, expect, test } from 'vitest'
import { memoryBody, type Piece, streamFrom, streamInit, watchedStream } from '../support/bodies.ts'
import { engines, exampleAuth, outgoingRequest } from '../support/signing.ts'
import { serveUploads, type UploadServerOptions } from './upload-server.ts'

async function setUp(options: UploadServerOptions = {}, payload: StreamingOptions = {}) {
  const server = await serveUploads(options)
  const auth = exampleAuth({ baseUrl: server.origin, payload: streaming(payload) })
  return { ...server, auth, fetch: authFetch(auth), url: `${server.origin}/V1/k` }
}

const kib64 = new Uint8Array(65_536).fill(7)

/** Gives some pieces, and then the last one for ever. */
const pieces =
  (...given: Piece[]) =>
  (index: number): Piece =>
    given[index] ?? given.at(-1) ?? 'end'

describe.each<StreamingOptions>([{}, { trailer: 'crc32c' }])('with %o', (payload) => {
  describe.each(engines)('and the $name engine', (engine) => {
    test.each<[what: string, announced: number, next: (index: number) => Piece]>([
      ['a shorter stream', 200_000, pieces(kib64, kib64, 'end')],
      ['a stream that is empty', 200_000, pieces('end')],
      ['a stream that lacks one byte', 65_537, pieces(kib64, 'end')],
      ['a longer stream', 100_000, pieces(kib64, kib64, 'end')],
      ['a stream with one byte too many', 65_536, pieces(kib64, new Uint8Array(1), 'end')],
      ['a stream where nothing was announced', 0, pieces(new Uint8Array(1), 'end')],
    ])('%s fails the request and gets no final chunk', async (_what, announced, next) => {
      const server = await serveUploads()
      const { origin, uploads, brokenUpload } = server
      const fetch = authFetch(exampleAuth({ baseUrl: origin, engine, payload: streaming(payload) }))
      const { stream } = watchedStream(next)
      const init = streamInit(stream, { 'content-length': String(announced) })
      const error = await fetch(`${origin}/V1/k`, init).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ name: 'AuthError', code: 'ERR_AUTH_BODY' })
      expect(String(error)).toMatch(new RegExp(`PUT ${origin}/V1/k: the body .*${announced}`))
      expect(uploads).toEqual([])
      // Where there was nothing to send yet, Node opens no request at all.
      const isBegun = announced > 0 && next(0) !== 'end'
      const arrived = isBegun ? (await brokenUpload()).toString('latin1') : ''
      expect(arrived).not.toMatch(/(?:^|\n)0;chunk-signature=/)
    })
  })
})

test.each([
  [65_536 + 1000, 'ended after 66536 of the 200000 bytes announced'],
  [0, 'ended after 0 of the 200000 bytes announced'],
])('a stream of %i bytes is told from what was announced', async (length, why) => {
  const auth = exampleAuth({ payload: streaming() })
  const url = 'https://examplebucket.s3.amazonaws.com/k'
  const request = outgoingRequest(url, { 'content-length': '200000' }, 'PUT')
  const { size: _size, ...source } = memoryBody(new Uint8Array(length))
  const { body } = await auth.authorize({ ...request, body: source })
  const read = async (): Promise<void> => {
    for await (const chunk of body?.chunks() ?? []) expect(chunk).toBeInstanceOf(Uint8Array)
  }
  await expect(read()).rejects.toThrow(`[@svc/auth-sigv4] PUT ${url}: the body ${why}`)
})

test('a longer stream is cancelled', async () => {
  const { fetch, url } = await setUp()
  const { stream, cancelled } = watchedStream(pieces(kib64))
  await expect(
    fetch(url, streamInit(stream, { 'content-length': '100000' })),
  ).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
  await cancelled
})

test.each<[what: string, headers: Record<string, string>, message: RegExp]>([
  ['no length', {}, /set content-length/],
  ['a length that is none', { 'content-length': '1e3' }, /content-length must be/],
  ['a negative length', { 'content-length': '-1' }, /content-length must be/],
  ['a length beyond all numbers', { 'content-length': '9'.repeat(20) }, /content-length must be/],
  [
    'two lengths',
    { 'content-length': '182', 'x-amz-decoded-content-length': '10' },
    /content-length is 10, but the body has 182 bytes/,
  ],
])('a stream with %s is refused before anything is sent', async (_what, headers, message) => {
  const { fetch, uploads, received, url } = await setUp()
  const { stream, pulled } = watchedStream(pieces(kib64, 'end'))
  const error = await fetch(url, streamInit(stream, headers)).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'ERR_AUTH_BODY', message: expect.stringMatching(message) })
  expect([uploads.length, received(), pulled()]).toEqual([0, 0, 0])
})

test('bytes whose announced length is another one are refused', async () => {
  const { fetch, url } = await setUp()
  const headers = { 'content-length': '3' }
  await expect(fetch(url, { method: 'PUT', body: 'four', headers })).rejects.toMatchObject({
    code: 'ERR_AUTH_BODY',
  })
})

describe('what goes wrong at the source', () => {
  test.each([0, 1, 5])('reaches the caller itself, after %d pieces', async (count) => {
    const { fetch, uploads, url } = await setUp()
    const failure = new Error('the disk is gone')
    const given = Array.from({ length: count }, () => kib64)
    const { stream } = watchedStream(pieces(...given, failure))
    const init = streamInit(stream, { 'content-length': '1000000' })
    const error = await fetch(url, init).catch((thrown: unknown) => thrown)
    expect(error).toBe(failure)
    expect(uploads).toEqual([])
  })

  test('reaches the caller from a Node stream', async () => {
    const { fetch, url } = await setUp()
    const failure = new Error('the disk is gone')
    const body = Readable.from(
      (function* () {
        yield Buffer.alloc(100)
        throw failure
      })(),
    )
    const init = streamInit(body, { 'content-length': '1000' })
    expect(await fetch(url, init).catch((thrown: unknown) => thrown)).toBe(failure)
  })

  test('is a typed error where it gives something else than bytes', async () => {
    const { fetch, url } = await setUp()
    const init = streamInit(streamFrom(['text']), { 'content-length': '4' })
    await expect(fetch(url, init)).rejects.toMatchObject({
      code: 'ERR_AUTH_BODY',
      message: expect.stringContaining('produced something other than bytes'),
    })
  })
})

describe('the source is cancelled', () => {
  const headers = { 'content-length': String(kib64.byteLength * 100) }

  test.each<[when: string, next: (index: number) => Piece]>([
    ['while it is read', pieces(kib64, kib64, 'stall')],
    ['before it gave anything', pieces('stall')],
  ])('by an abort %s, which the caller sees as its reason', async (_when, next) => {
    const { fetch, uploads, url } = await setUp()
    const { stream, cancelled } = watchedStream(next)
    const controller = new AbortController()
    const reason = new Error('no longer wanted')
    const sent = fetch(url, { ...streamInit(stream, headers), signal: controller.signal })
    setTimeout(() => controller.abort(reason), 50)
    expect(await sent.catch((thrown: unknown) => thrown)).toBe(reason)
    await cancelled
    expect(uploads).toEqual([])
  })

  test('by an abort after a response that came early', async () => {
    const { fetch, url } = await setUp({
      begin(_message, response) {
        response.write('early')
        return false
      },
    })
    const { stream, cancelled } = watchedStream(pieces(kib64, 'stall'))
    const controller = new AbortController()
    const response = await fetch(url, {
      ...streamInit(stream, headers),
      signal: controller.signal,
    })
    expect(response.status).toBe(200)
    controller.abort()
    await cancelled
  })

  test('where the connection breaks', async () => {
    const { fetch, url } = await setUp({
      begin(message) {
        message.once('data', () => message.destroy())
        return false
      },
    })
    const { stream, cancelled } = watchedStream(pieces(kib64, 'stall'))
    await expect(fetch(url, streamInit(stream, headers))).rejects.toThrow(TypeError)
    await cancelled
  })

  test('where it is a Node stream that stalls', async () => {
    const { fetch, url } = await setUp()
    const body = new Readable({ read() {} })
    const closed = new Promise((resolve) => {
      body.once('close', resolve)
    })
    const signal = AbortSignal.timeout(50)
    await expect(fetch(url, { ...streamInit(body, headers), signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    await closed
  })
})

describe('back-pressure', () => {
  test('the source is read no further than one chunk ahead', async () => {
    const chunkBytes = 10_000
    const pieceBytes = 3000
    const size = 20 * chunkBytes
    const piece = new Uint8Array(pieceBytes)
    const { stream, pulled } = watchedStream((index) =>
      index * pieceBytes < size ? piece.subarray(0, size - index * pieceBytes) : 'end',
    )
    const auth = exampleAuth({ payload: streaming({ chunkBytes }) })
    const { body } = await auth.authorize({
      ...outgoingRequest('https://examplebucket.s3.amazonaws.com/k', {}, 'PUT'),
      body: {
        ...memoryBody(new Uint8Array(size)),
        replayable: false,
        chunks: () => stream.values(),
      },
    })
    expect(pulled()).toBe(0)
    let taken = 0
    for await (const { byteLength } of body?.chunks() ?? []) {
      // The header of a chunk comes ahead of its bytes.
      if (byteLength < chunkBytes && taken < size) taken += chunkBytes
      expect(pulled()).toBeGreaterThanOrEqual(taken)
      expect(pulled()).toBeLessThan(taken + pieceBytes)
      // Nobody asks meanwhile, and so nobody reads.
      await new Promise((resolve) => {
        setTimeout(resolve, 2)
      })
      expect(pulled()).toBeLessThan(taken + pieceBytes)
    }
    expect(taken).toBe(size)
  })

  test('a server that stops reading stops the source', async () => {
    let resume = (): void => {}
    const { fetch, received, url } = await setUp({
      begin(message) {
        message.pause()
        resume = () => message.resume()
        return true
      },
    })
    const size = 64 * 1024 * 1024
    const { stream, pulled } = watchedStream((index) => (index < 1024 ? kib64 : 'end'))
    const sent = fetch(url, streamInit(stream, { 'content-length': String(size) }))
    let before = -1
    while (pulled() === 0 || pulled() > before) {
      before = pulled()
      await new Promise((resolve) => {
        setTimeout(resolve, 200)
      })
    }
    // What the kernel's socket buffers hold, and not the stream.
    expect(pulled()).toBeLessThan(size / 4)
    resume()
    expect((await sent).status).toBe(200)
    expect(pulled()).toBe(size)
    expect(received()).toBeGreaterThan(size)
  })
})

describe('wrong options', () => {
  test.each<[option: string, options: unknown]>([
    ['chunkBytes', { chunkBytes: 8191 }],
    ['chunkBytes', { chunkBytes: 0 }],
    ['chunkBytes', { chunkBytes: 65_536.5 }],
    ['chunkBytes', { chunkBytes: Number.NaN }],
    ['chunkBytes', { chunkBytes: Number.POSITIVE_INFINITY }],
    ['chunkBytes', { chunkBytes: '65536' }],
    ['trailer', { trailer: 'md5' }],
    ['trailer', { trailer: true }],
    ['options', null],
    ['options', 65_536],
  ])('are refused, naming %s', (option, options) => {
    // What a caller without types may give.
    const construct = (): unknown => streaming(options as StreamingOptions)
    expect(construct).toThrow(TypeError)
    expect(construct).toThrow(option)
  })
})
