import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { authFetch, authorizeRequest } from '@svc/auth-hooks'
import type { AuthScheme, OutgoingBody } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serve } from '../support/server.ts'
import { streamFrom, type StreamingInit } from '../support/streams.ts'

const mib = 1024 * 1024

/** A scheme that sends every body with brackets around it. */
function bracketing(
  change: (body: OutgoingBody) => Partial<OutgoingBody> = () => ({}),
): AuthScheme {
  return {
    name: 'brackets',
    covers: () => true,
    authorize({ body }) {
      if (!body) return { scheme: 'brackets', headers: [] }
      const wrapped: OutgoingBody = {
        ...(body.size !== undefined && { size: body.size + 2 }),
        replayable: body.replayable,
        bytes: () => Promise.reject(new Error('not asked for')),
        async *chunks() {
          yield Uint8Array.of(0x5b)
          yield* body.chunks()
          yield Uint8Array.of(0x5d)
        },
      }
      return {
        scheme: 'brackets',
        headers: [],
        body: { ...wrapped, ...change(body) },
      }
    },
  }
}

/** A server that responds once a quarter of a mebibyte has come, and reads slowly from then on. */
async function early(status: number, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((message, response) => {
    let size = 0
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size < mib / 4) return
      if (!response.headersSent) response.writeHead(status, headers).end('early')
      message.pause()
      setTimeout(() => message.resume(), 50)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? `http://127.0.0.1:${address?.port}/` : ''
}

/** A stream without an end, which counts what was pulled out of it. */
function endless() {
  const seen = { pulled: 0, isCancelled: false }
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      seen.pulled += 1
      await new Promise((resolve) => setTimeout(resolve, 1))
      controller.enqueue(new Uint8Array(65_536))
    },
    cancel() {
      seen.isCancelled = true
    },
  })
  return { seen, stream }
}

describe('a body that a scheme gives, with a response before it has ended', () => {
  test('ends without an unhandled rejection where the signal aborts later', async () => {
    const { seen, stream } = endless()
    const controller = new AbortController()
    const init: StreamingInit = {
      method: 'PUT',
      body: stream,
      duplex: 'half',
      signal: controller.signal,
    }
    const send = authFetch(bracketing(() => ({ size: 32 * mib })))
    const response = await send(await early(403), init)
    expect(await response.text()).toBe('early')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    controller.abort(new Error('too late'))
    // vitest fails where a rejection is not handled.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(seen.isCancelled).toBe(true)
  })

  test('is read no further where its redirect is refused', async () => {
    const { seen, stream } = endless()
    const url = await early(307, { location: 'https://elsewhere.example/' })
    const init: StreamingInit = { method: 'PUT', body: stream, duplex: 'half' }
    const send = authFetch({ ...bracketing(), covers: ({ origin }) => url.startsWith(origin) })
    await expect(send(url, init)).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { pulled } = seen
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(seen.pulled - pulled).toBeLessThan(5)
  })
})

describe('a body that a scheme gives', () => {
  test('is sent with its length, in place of the length of the caller', async () => {
    const server = await serve()
    const headers = { 'content-length': '4' }
    await authFetch(bracketing())(server.origin, { method: 'PUT', headers, body: 'text' })
    const [arrived] = server.arrived
    expect(arrived?.body.toString()).toBe('[text]')
    expect(arrived?.headers['content-length']).toBe('6')
    expect(arrived?.headers['transfer-encoding']).toBeUndefined()
  })

  test('is sent without a length where it has none', async () => {
    const server = await serve()
    const init: StreamingInit = {
      method: 'PUT',
      headers: { 'content-length': '1' },
      body: streamFrom(Uint8Array.of(65)),
      duplex: 'half',
    }
    const unsized = bracketing(() => ({ size: undefined as never }))
    await authFetch(unsized)(server.origin, init)
    const [arrived] = server.arrived
    expect(arrived?.body.toString()).toBe('[A]')
    expect(arrived?.headers['content-length']).toBeUndefined()
    expect(arrived?.headers['transfer-encoding']).toBe('chunked')
  })

  test.each([
    ['objects', {}],
    ['numbers', 5],
    ['nothing', undefined],
  ])('that gives %s in place of bytes is an error, and is ended', async (_name, chunk) => {
    const server = await serve()
    let sent: Promise<Response> | undefined
    const cancelled = new Promise<void>((resolve) => {
      const body = new ReadableStream({
        pull: (stream) => stream.enqueue(chunk),
        cancel: () => resolve(),
      })
      const init: StreamingInit = {
        method: 'PUT',
        headers: { 'content-length': '3' },
        body,
        duplex: 'half',
      }
      sent = authFetch(bracketing())(server.origin, init)
    })
    await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_BODY' })
    await cancelled
  })

  test('fails the request with what it throws', async () => {
    const server = await serve()
    const failure = new Error('of the body')
    const scheme = bracketing(() => ({
      async *chunks() {
        yield Uint8Array.of(0x5b)
        throw failure
      },
    }))
    const sent = authFetch(scheme)(server.origin, { method: 'PUT', body: 'text' })
    expect(await sent.catch((error: unknown) => error)).toBe(failure)
  })

  test('is one of an authorized Request, which can be cloned', async () => {
    const body = new Uint8Array(3 * mib).fill(65)
    const request = await authorizeRequest(bracketing(), 'http://localhost/', {
      method: 'PUT',
      body,
    })
    expect(request.headers.get('content-length')).toBe(String(body.byteLength + 2))
    const clone = request.clone()
    const read = [await clone.bytes(), await request.bytes()]
    expect(read.map((bytes) => [bytes.length, bytes[0], bytes.at(-1)])).toEqual([
      [body.byteLength + 2, 0x5b, 0x5d],
      [body.byteLength + 2, 0x5b, 0x5d],
    ])
  })

  test('of a stream can be cloned too, and both are read side by side', async () => {
    const piece = new Uint8Array(65_536).fill(65)
    const request = await authorizeRequest(bracketing(), 'http://localhost/', {
      method: 'PUT',
      body: streamFrom(...Array.from({ length: 64 }, () => piece)),
      duplex: 'half',
    } as StreamingInit)
    const [one, other] = await Promise.all([request.clone().bytes(), request.bytes()])
    expect([one.length, other.length]).toEqual([4 * mib + 2, 4 * mib + 2])
  })
})

test('a stream that a scheme passes on arrives whole, however large its first piece is', async () => {
  const server = await serve()
  const scheme = bracketing((body) => body)
  const init: StreamingInit = {
    method: 'PUT',
    body: streamFrom(new Uint8Array(2 * mib), new Uint8Array(mib)),
    duplex: 'half',
  }
  await authFetch(scheme)(server.origin, init)
  expect(server.arrived[0]?.body).toHaveLength(3 * mib)
})

test('a large Blob arrives whole and with its length, whatever wraps the inner fetch', async () => {
  const server = await serve()
  const blob = new Blob([new Uint8Array(3 * mib).fill(66), 'end'])
  const reading: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    expect(await request.clone().bytes()).toHaveLength(blob.size)
    return fetch(request)
  }
  const init = { method: 'PUT', body: blob }
  const scheme: AuthScheme = {
    name: 'none',
    covers: () => true,
    authorize: () => ({ scheme: 'none', headers: [] }),
  }
  await authFetch(scheme)(server.origin, init)
  await authFetch(scheme, { fetch: reading })(server.origin, init)
  const expected = sha256(new Uint8Array(await blob.arrayBuffer()))
  expect(server.arrived.map(({ body }) => sha256(body))).toEqual([expected, expected])
  expect(server.arrived.map(({ headers }) => headers['content-length'])).toEqual(
    Array.from({ length: 2 }, () => String(blob.size)),
  )
})

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
