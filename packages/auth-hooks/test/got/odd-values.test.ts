import { getEventListeners, once } from 'node:events'
import { Agent } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { authGot } from '@svc/auth-hooks/got'
import type { AuthScheme } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { atNight } from '../../../../tests/support/nightly.ts'
import { recordingScheme, rejects401 } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'
import { type CommonGot, failure, majors, retry } from './majors.ts'

/** A stream that tells when it is over. */
function watchedStream(): { stream: ReadableStream<Uint8Array>; isOver: () => boolean } {
  let isOver = false
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Buffer.from('text')),
    cancel() {
      isOver = true
    },
  })
  return { stream, isOver: () => isOver }
}

/** An agent that gives no connection. */
class StuckAgent extends Agent {
  override createConnection(): never {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what an agent may do
    return undefined as never
  }
}

const retryAtOnce = {
  limit: 2,
  calculateDelay: ({ computedValue }: { computedValue: number }) => computedValue && 1,
}

const failing: [name: string, change: Partial<AuthScheme>][] = [
  ['does not say if it covers a URL', { covers: () => Promise.resolve(true) as never }],
  [
    'throws',
    {
      authorize() {
        throw new Error('no login')
      },
    },
  ],
  ['rejects', { authorize: () => Promise.reject(new Error('no login')) }],
  ['covers nothing', { covers: () => false }],
]

const redirect = 'HTTP/1.1 307 Elsewhere\r\nlocation: /moved\r\ncontent-length: 0\r\n\r\n'
/** More than the sockets of both ends hold. */
const length = 25_000_000

describe.each(majors)('authGot with %s', (_name, client: CommonGot) => {
  test('leaves the error for an input that is none to got', async () => {
    const call = async (of: CommonGot) => failure(of(7 as unknown as string))
    const own = await call(client)
    const { message, name } = await call(client.extend(authGot(recordingScheme([]))))
    expect({ message, name }).toEqual({ message: own.message, name: own.name })
  })

  describe.each(failing)('ends a stream of the web where the scheme %s', (_case, change) => {
    test.each([false, true])('(isStream: %s)', async (isStream) => {
      const server = await serve()
      const scheme = { ...recordingScheme([server.origin]), ...change }
      const { stream, isOver } = watchedStream()
      const api = client.extend({ retry }, authGot(scheme))
      const options = { method: 'PUT', body: stream }
      if (isStream) await once(api.stream(server.origin, options), 'error')
      else await failure(api(server.origin, options))
      expect(isOver()).toBe(true)
      expect(server.arrived).toEqual([])
    })
  })

  test('a call that ends before it has a connection listens to its signal no more', async () => {
    const { signal } = new AbortController()
    const http = new StuckAgent()
    onTestFinished(() => http.destroy())
    const api = client.extend({ retry }, authGot(recordingScheme(['http://127.0.0.1:1'])))
    const options = { signal, agent: { http }, timeout: { request: 20 } }
    expect(await failure(api('http://127.0.0.1:1', options))).toMatchObject({ code: 'ETIMEDOUT' })
    await sleep(20)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('a call that times out during a review that does not end listens to its signal no more', async () => {
    const server = await serve()
    const { signal } = new AbortController()
    const review = () => new Promise<never>(() => {})
    const api = client.extend(
      { retry },
      authGot(recordingScheme([server.origin], () => ({ review }))),
    )
    const options = { signal, timeout: { request: 150 } }
    expect(await failure(api(server.origin, options))).toMatchObject({ code: 'ETIMEDOUT' })
    await sleep(20)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('makes at most eight further attempts over all hops of a call', async () => {
    const server = await serve(({ path }, response) => redirectTo(response, 302, path))
    let reasons = 0
    const review = () => `reason ${(reasons += 1)}`
    const scheme = recordingScheme([server.origin], () => ({ review }))
    const api = client.extend({ retry }, authGot(scheme))
    await failure(api(server.origin))
    // The first one, and ten redirects.
    expect(server.arrived).toHaveLength(11 + 8)
  })

  test('an attempt of got’s own is replayed as the first one was', async () => {
    const statuses = [401, 503, 401, 200]
    const server = await serve(({ count }, response) => {
      response.statusCode = statuses[count - 1] ?? 200
      response.end()
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const api = client.extend({ retry: retryAtOnce }, authGot(scheme))
    expect(await api(server.origin)).toMatchObject({ statusCode: 200 })
    expect(server.arrived).toHaveLength(4)
  })

  test.each(atNight([false, true], [false]))(
    'ends the uploads that redirects leave behind (isStream: %s)',
    async (isStream) => {
      const received: number[] = []
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        const index = received.push(0) - 1
        sockets.add(socket)
        socket.on('error', () => {}).once('close', () => sockets.delete(socket))
        socket.on('data', ({ byteLength }) => {
          // It responds at the head, and reads on only later.
          if (received[index] === 0) socket.pause().write(redirect)
          received[index] = (received[index] ?? 0) + byteLength
        })
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server has an address object
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const api = client.extend({ retry, maxRedirects: 3 }, authGot(recordingScheme([origin])))
      const options = { method: 'PUT', body: Buffer.alloc(length) }
      const failed = isStream
        ? once(api.stream(origin, options), 'error')
        : failure(api(origin, options))
      expect([await failed].flat()).toMatchObject([{ name: 'MaxRedirectsError' }])
      while (sockets.size > 0) {
        for (const socket of sockets) socket.resume()
        await sleep(10)
      }
      expect(received).toHaveLength(4)
      expect(received.filter((bytes) => bytes >= length)).toEqual([])
    },
  )
})
