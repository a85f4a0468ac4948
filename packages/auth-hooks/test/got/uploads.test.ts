import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { authGot } from '@svc/auth-hooks/got'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type LoopbackServer, listenOnLoopback } from '../../../../tests/support/loopback.ts'
import { atNight } from '../../../../tests/support/nightly.ts'
import { RecordingAgent } from '../support/recording-agent.ts'
import { recordingScheme } from '../support/schemes.ts'
import { type CommonGot, failure, majors, retry } from './majors.ts'

/** A server that counts the uploads that came whole, and responds to each as soon as its head is there, in pieces. */
async function serveAtOnce(afterMs = 0): Promise<{ origin: string; executed: () => number }> {
  let executed = 0
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      response.write('the ')
      response.write('whole ')
      await buffer(request)
      executed += 1
      response.end('response')
    }
    if (afterMs > 0) setTimeout(() => void respond(), afterMs)
    else void respond()
  })
  const { url, close }: LoopbackServer = await listenOnLoopback(server)
  onTestFinished(close)
  return { origin: url.origin, executed: () => executed }
}

const tooLarge = 'HTTP/1.1 413 Too Large\r\ncontent-length: 18\r\n\r\n'

/** A server of TCP, for what no server of HTTP does. */
async function serveTcp(
  serve: (socket: Socket) => void,
): Promise<{ origin: string; sockets: readonly Socket[] }> {
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    serve(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  // A TCP server that listens has an address object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

/** Resolves when a socket is closed, whatever its errors. */
async function closing(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
}

interface Progress {
  readonly transferred: number
}

function form(): FormData {
  const made = new FormData()
  made.append('file', new Blob([Buffer.alloc(6_000_000)]))
  return made
}

async function* generate(): AsyncGenerator<Buffer> {
  for (let count = 0; count < 100; count += 1) yield Buffer.alloc(60_000)
}

const bodies: [name: string, body: () => unknown][] = [
  ['a text', () => 'x'.repeat(500_000)],
  ['a Buffer', () => Buffer.alloc(500_000)],
  ['a typed array', () => new Uint16Array(250_000)],
]

describe.each(majors)('%s', (_name, client: CommonGot) => {
  test.each(bodies)(
    '%s over 64 KB is executed once where the response begins before it was read',
    async (_what, body) => {
      const { origin, executed } = await serveAtOnce()
      const api = client.extend(authGot(recordingScheme([origin])))
      for (let count = 1; count <= 10; count += 1) {
        const response = await api(`${origin}/put`, { method: 'PUT', body: body() })
        expect([response.statusCode, response.body, response.retryCount]).toEqual([
          200,
          'the whole response',
          0,
        ])
        expect(executed()).toBe(count)
      }
    },
  )

  test('a response that breaks off stands on the error, also while got still writes the body', async () => {
    const server = createServer(async (request, response) => {
      await buffer(request)
      response.writeHead(200, { 'content-length': '80' }).write('half')
      setImmediate(() => response.destroy())
    })
    const { url, close } = await listenOnLoopback(server)
    onTestFinished(close)
    const api = client.extend({ retry }, authGot(recordingScheme([url.origin])))
    const options = { method: 'PUT', body: 'x'.repeat(500_000) }
    const errors = await Promise.all(
      Array.from({ length: atNight(72, 18) }, () => failure(api(url.href, options))),
    )
    expect(errors.map(({ name, response }) => [name, response?.statusCode])).toEqual(
      errors.map(() => ['ReadError', 200]),
    )
  })

  test('30 uploads at once are each executed once', async () => {
    const { origin, executed } = await serveAtOnce(20)
    const api = client.extend(authGot(recordingScheme([origin])))
    const options = { method: 'PUT', body: 'x'.repeat(500_000) }
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => api(`${origin}/put`, options)),
    )
    expect(responses.map(({ statusCode, retryCount }) => [statusCode, retryCount])).toEqual(
      responses.map(() => [200, 0]),
    )
    expect(executed()).toBe(30)
  })

  const kinds: [name: string, body: () => unknown][] = [
    ...bodies,
    ['a form', form],
    ['a stream', () => Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(60_000)))],
    ['a generator', generate],
  ]
  test.each(kinds)(
    'the whole response is given where its connection breaks before the end of %s',
    async (_what, body) => {
      const { origin, sockets } = await serveTcp((socket) => {
        socket.once('data', () => socket.pause().write(`${tooLarge}the whole response`))
      })
      const agent = new RecordingAgent({ keepAlive: true })
      const scheme = recordingScheme([origin], () => ({
        review: async () => {
          for (const socket of sockets) socket.resetAndDestroy()
          await Promise.all(agent.opened.map(closing))
          return undefined
        },
      }))
      const options = { throwHttpErrors: false, agent: { http: agent } }
      const api = client.extend(options, authGot(scheme))
      const response = await api(`${origin}/put`, { method: 'PUT', body: body() })
      expect([response.statusCode, response.body]).toEqual([413, 'the whole response'])
    },
  )

  test('the progress of an upload is that without authGot', async () => {
    const server = createServer(async (request, response) => {
      await buffer(request)
      response.end('the whole response')
    })
    const { url, close } = await listenOnLoopback(server)
    onTestFinished(close)
    const bare = client.extend({ retry: { limit: 0 } })
    const seen: number[][] = []
    for (const api of [bare, bare.extend(authGot(recordingScheme([url.origin])))]) {
      for (const size of [3, 65_536, 65_537, 200_000]) {
        const transferred: number[] = []
        const call = api.stream(url.href, { method: 'PUT', body: Buffer.alloc(size) })
        call.on('uploadProgress', (progress: Progress) => transferred.push(progress.transferred))
        await text(call)
        seen.push(transferred)
      }
    }
    expect(seen.slice(4)).toEqual(seen.slice(0, 4))
  })

  test('an upload makes no progress while the server reads nothing', async () => {
    const { origin, sockets } = await serveTcp((socket) => socket.pause())
    const size = 50_000_000
    const api = client.extend(authGot(recordingScheme([origin])))
    const call = api.stream(origin, { method: 'PUT', body: Buffer.alloc(size) })
    const transferred: number[] = []
    call.on('uploadProgress', (progress: Progress) => transferred.push(progress.transferred))
    call.on('error', () => {})
    await expect.poll(() => sockets).toHaveLength(1)
    // Each round would take 64 KB.
    for (let round = 0; round < 2000; round += 1) await new Promise(setImmediate)
    call.destroy()
    expect(Math.max(...transferred)).toBeLessThan(size / 2)
  })

  test('no phase of a request takes less than no time', async () => {
    const { origin } = await serveAtOnce()
    const api = client.extend(authGot(recordingScheme([origin])))
    for (const body of ['a', 'x'.repeat(500_000)]) {
      const { timings } = await api(`${origin}/put`, { method: 'PUT', body })
      const phases = Object.entries(timings.phases)
      expect(phases.filter(([, ms = 0]) => !(ms >= 0))).toEqual([])
    }
  })
})
