import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { type Duplex, PassThrough, Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { authGot } from '@svc/auth-hooks/got'
import type { AuthScheme } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeTlsCertificate } from '../../../../tests/support/tls-certificate.ts'
import { RecordingAgent } from '../support/recording-agent.ts'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { type CommonGot, failure, majors, retry } from './majors.ts'

const certificate = await makeTlsCertificate()

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  // A TCP server that listens has an address object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Longer than the timeouts of these tests. */
async function takeLong(): Promise<void> {
  const until = performance.now() + 450
  while (performance.now() < until) await new Promise(setImmediate)
}

/** A promise and what settles it. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Refuses the first request before it reads the body, which it never does. */
async function serveHastyRefusal(body: string, next: (socket: Socket) => void): Promise<string> {
  let count = 0
  const server = createTcpServer((socket) => {
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    count += 1
    if (count > 1) {
      next(socket)
      return
    }
    socket.once('data', () => {
      socket.pause().write(`HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n${body}`)
    })
  })
  return `http://${await listen(server)}`
}

describe.each(majors)('authGot with %s', (_name, client: CommonGot) => {
  test('a login ahead of time is not charged to the timeout', async () => {
    const server = await serve()
    let isReady = false
    const scheme: AuthScheme = {
      ...recordingScheme([server.origin]),
      prepare: async () => {
        await takeLong()
        isReady = true
      },
      authorize: () => {
        if (!isReady) throw new Error('not prepared')
        return { scheme: 'x', headers: [] }
      },
    }
    const api = client.extend({ retry, timeout: { request: 400 } }, authGot(scheme))
    expect(await api(server.origin)).toMatchObject({ statusCode: 200 })
    expect(await text(api.stream(server.origin))).toBe('')
  })

  test('an error of prepare is left to the request', async () => {
    const server = await serve()
    const scheme: AuthScheme = {
      ...recordingScheme([server.origin]),
      prepare: () => Promise.reject(new Error('of prepare')),
    }
    expect(await client.extend(authGot(scheme))(server.origin)).toMatchObject({ statusCode: 200 })
  })

  test('nothing is prepared for what is not covered', async () => {
    const prepared: URL[] = []
    const scheme: AuthScheme = {
      ...recordingScheme([]),
      prepare: async ({ url }) => void prepared.push(url),
    }
    await failure(client.extend({ retry }, authGot(scheme))('http://localhost:1/'))
    expect(prepared).toEqual([])
  })

  test.each(['request', 'response', 'socket'] as const)(
    'keeps the timeout of %s',
    async (phase) => {
      const server = await serve(() => {})
      const api = client.extend(
        { retry, timeout: { [phase]: 60 } },
        authGot(recordingScheme([server.origin])),
      )
      const error = await failure(api(server.origin))
      expect(error).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT', event: phase })
      expect(error.timings?.phases.wait).toBeGreaterThanOrEqual(0)
    },
  )

  test('keeps the timeouts of sending and of a body that does not end', async () => {
    const silent = await listen(createTcpServer((socket) => socket.pause()))
    const sending = client.extend(
      { retry, timeout: { send: 60 } },
      authGot(recordingScheme([`http://${silent}`])),
    )
    const body = Buffer.alloc(16 * 1024 * 1024)
    expect(await failure(sending(`http://${silent}/`, { method: 'PUT', body }))).toMatchObject({
      event: 'send',
    })

    const server = await serve((_, response) => void response.write('begun'))
    const reading = client.extend(
      { retry, timeout: { request: 60 } },
      authGot(recordingScheme([server.origin])),
    )
    expect(await failure(reading(server.origin))).toMatchObject({ event: 'request' })
  })

  test('an abort while the request is being authorized sends nothing', async () => {
    const server = await serve()
    const { opened, open } = gate()
    const asked = gate()
    const scheme: AuthScheme = {
      ...recordingScheme([server.origin]),
      authorize: async () => {
        asked.open()
        await opened
        return { scheme: 'x', headers: [] }
      },
    }
    const ending = new AbortController()
    const api = client.extend({ retry }, authGot(scheme))
    const call = failure(api(server.origin, { signal: ending.signal }))
    await asked.opened
    ending.abort()

    expect(await call).toMatchObject({ name: 'AbortError' })
    open()
    await client(server.origin)
    // A connection that was opened before would have come first.
    expect(server.sockets()).toBe(1)
  })

  test('an abort ends a request that is under way, and its lease', async () => {
    const server = await serve(() => {})
    let abandoned = 0
    const scheme = recordingScheme([server.origin], () => ({
      abandon: () => void (abandoned += 1),
    }))
    const ending = new AbortController()
    const call = failure(client.extend(authGot(scheme))(server.origin, { signal: ending.signal }))
    await expect.poll(() => server.arrived).toHaveLength(1)
    ending.abort()

    expect(await call).toMatchObject({ name: 'AbortError' })
    expect(abandoned).toBe(1)
  })

  test('an attempt that is replayed uses the connection of the refused one', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 401 : 200
      response.end('text')
    })
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const scheme = recordingScheme([server.origin], () => ({
      // Until the refused response has been read away.
      review: async (head) => {
        await new Promise(setImmediate)
        return rejects401(head)
      },
    }))
    const api = client.extend({ agent: { http: agent } }, authGot(scheme))
    for (let call = 0; call < 3; call += 1) await api(server.origin)

    expect(server.arrived).toHaveLength(4)
    expect(server.sockets()).toBeLessThanOrEqual(2)
  })

  test.each([
    ['silent', 1],
    ['endless', Infinity],
  ])('a %s refusal holds nobody up, and is ended', async (_case, chunks) => {
    const ended = gate()
    const server = await serve((request, response) => {
      if (request.count > 1) {
        response.end('text')
        return
      }
      response.writeHead(401).once('close', ended.open)
      const write = (left: number): void => {
        if (left > 0 && !response.destroyed) {
          // Node 26 calls back at once, so that nothing else would ever run.
          response.write(Buffer.alloc(8 * 1024), () => setImmediate(write, left - 1))
        }
      }
      write(chunks)
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    expect(await client.extend(authGot(scheme))(server.origin)).toMatchObject({ body: 'text' })
    await ended.opened
  })

  test.each([
    ['bytes', (bytes: Buffer<ArrayBuffer>) => bytes],
    [
      'a form',
      (bytes: Buffer<ArrayBuffer>) => {
        const form = new FormData()
        form.append('file', new Blob([bytes]))
        return form
      },
    ],
  ])('a refused upload of %s that nobody reads is ended', async (_case, body) => {
    const agent = new RecordingAgent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const http = createServer(async (request, response) => {
      const { byteLength } = await buffer(request)
      const [refused] = agent.opened
      if (refused && !refused.destroyed) await once(refused, 'close')
      response.end(`${byteLength >= size}`)
    })
    const size = 10_000_000
    const origin = await serveHastyRefusal('no', (socket) => http.emit('connection', socket))
    const scheme = recordingScheme([origin], () => ({ review: rejects401 }))
    const api = client.extend({ retry, agent: { http: agent } }, authGot(scheme))
    const response = await api(origin, { method: 'PUT', body: body(Buffer.alloc(size)) })

    expect(response).toMatchObject({ statusCode: 200, body: 'true' })
    expect(agent.opened).toHaveLength(2)
  })

  test('an abort ends the upload of a refused attempt as well', async () => {
    const agent = new RecordingAgent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const replayed = gate()
    // The refusal does not end, and so is still being read away.
    const origin = await serveHastyRefusal('n', (socket) => {
      socket.once('data', () => {
        socket.pause()
        replayed.open()
      })
    })
    const scheme = recordingScheme([origin], () => ({ review: rejects401 }))
    const ending = new AbortController()
    const { signal } = ending
    const api = client.extend({ retry, agent: { http: agent } }, authGot(scheme))
    const call = failure(api(origin, { method: 'PUT', body: Buffer.alloc(20_000_000), signal }))
    await replayed.opened
    ending.abort()

    expect(await call).toMatchObject({ name: 'AbortError' })
    expect(agent.opened.map(({ destroyed }) => destroyed)).toEqual([true, true])
  })

  test('the silence of a refused response is not that of the next one', async () => {
    const server = await serve((request, response) => {
      if (request.count === 1) {
        response.writeHead(401).write('no')
        return
      }
      const begun = performance.now()
      const write = (): void => {
        if (performance.now() - begun > 900) response.end()
        else response.write('x', () => setTimeout(write, 10))
      }
      write()
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const api = client.extend({ retry, timeout: { socket: 400 } }, authGot(scheme))
    expect(await api(server.origin)).toMatchObject({ statusCode: 200 })
  })

  test('a response that is judged when the caller has left is not given', async () => {
    const server = await serve((_, response) => response.end('text'))
    const [asked, judged] = [gate(), gate()]
    const scheme = recordingScheme([server.origin], () => ({
      review: async () => {
        asked.open()
        await judged.opened
        return undefined
      },
    }))
    const call = client.extend({ retry }, authGot(scheme)).stream(server.origin)
    let responses = 0
    call.on('response', () => (responses += 1)).resume()
    await asked.opened
    call.destroy()
    judged.open()
    await new Promise(setImmediate)

    expect(responses).toBe(0)
  })

  test('a response that breaks off is an error', async () => {
    const server = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\npart')
        setImmediate(() => socket.resetAndDestroy())
      })
    })
    const origin = `http://${await listen(server)}`
    const api = client.extend({ retry }, authGot(recordingScheme([origin])))
    expect(await failure(api(origin))).toMatchObject({ name: 'ReadError' })
  })

  test('an abort ends the body of a scheme that waits for the caller’s', async () => {
    const server = createTcpServer((socket) => socket.resume().on('error', () => {}))
    const origin = `http://${await listen(server)}`
    const [reading, ended] = [gate(), gate()]
    const scheme = recordingScheme([origin], ({ body }) => ({
      body: {
        replayable: false,
        bytes: () => Promise.reject(new Error('a stream')),
        async *chunks() {
          try {
            reading.open()
            yield* body?.chunks() ?? []
          } finally {
            ended.open()
          }
        },
      },
    }))
    const ending = new AbortController()
    const { signal } = ending
    const call = client.extend({ retry }, authGot(scheme)).stream(origin, { method: 'PUT', signal })
    call.on('error', () => {}).write('part')
    await reading.opened
    ending.abort()
    await ended.opened
    expect(call.destroyed).toBe(true)
  })

  test('a connection that breaks while a response is judged is an error, not a wait', async () => {
    const broken = gate()
    const server = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\npart', () => socket.destroy())
      })
      socket.once('close', broken.open)
    })
    const origin = `http://${await listen(server)}`
    const scheme = recordingScheme([origin], () => ({
      review: async () => {
        await broken.opened
        await takeLong()
        return undefined
      },
    }))
    const error = await failure(client.extend({ retry }, authGot(scheme))(origin))
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  })

  test('reads compressed responses', async () => {
    const server = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync('text'))
    })
    const api = client.extend(authGot(recordingScheme([server.origin])))
    expect(await api(server.origin)).toMatchObject({ body: 'text' })
    const raw = await api(server.origin, { decompress: false, responseType: 'buffer' })
    expect(Buffer.from(raw.body as Uint8Array)).toEqual(gzipSync('text'))
  })

  test('a large upload and a large download go through', async () => {
    const server = await serve((request, response) => response.end(request.body))
    const api = client.extend(authGot(recordingScheme([server.origin])))
    const chunk = Buffer.alloc(256 * 1024, 'x')
    const body = Readable.from(Array.from({ length: 32 }, () => chunk))
    const echoed = await buffer(api.stream(server.origin, { method: 'PUT', body }))
    expect(echoed.byteLength).toBe(32 * chunk.byteLength)
  })

  test('reports the progress of an upload to its end', async () => {
    const server = await serve()
    const api = client.extend(authGot(recordingScheme([server.origin])))
    const told: { percent: number }[] = []
    const call = api.stream(server.origin, { method: 'PUT', body: Buffer.alloc(200_000) })
    call.on('uploadProgress', (progress: { percent: number }) => told.push(progress))
    await text(call)
    expect(told.at(-1)).toMatchObject({ percent: 1, transferred: 200_000 })
  })

  test('a response from a cache asks for no credential, and one that is checked is authorized', async () => {
    const server = await serve((request, response) => {
      response.setHeader('etag', '"1"')
      const age = request.path === '/fresh' ? 60 : 0
      response.setHeader('cache-control', `max-age=${age}`)
      response.statusCode = request.headers['if-none-match'] ? 304 : 200
      response.end(response.statusCode === 304 ? undefined : 'text')
    })
    const scheme = recordingScheme([server.origin])
    const cache = new Map<string, unknown>()
    const api = client.extend({ cache, retry }, authGot(scheme))
    for (const path of ['/fresh', '/fresh', '/stale', '/stale']) {
      expect(await api(`${server.origin}${path}`)).toMatchObject({ body: 'text' })
    }
    expect(server.arrived.map((arrived) => arrived.headers['if-none-match'])).toEqual([
      undefined,
      undefined,
      '"1"',
    ])
    expect(scheme.seen[2]?.headers.get('if-none-match')).toBe('"1"')
    expect(JSON.stringify([...cache.values()])).not.toContain(credential)
  })

  test('a request behind a cache is sent once more where it is refused', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 401 : 200
      response.end('text')
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const api = client.extend({ cache: new Map(), retry }, authGot(scheme))
    expect(await api(server.origin)).toMatchObject({ body: 'text' })
  })

  test('an error behind a cache is got’s', async () => {
    const scheme = recordingScheme([])
    const api = client.extend({ cache: new Map(), retry }, authGot(scheme))
    const error = await failure(api('http://localhost:1/'))
    expect(error).toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  })

  test('a unix socket is no covered origin', async () => {
    const scheme = recordingScheme(['http://127.0.0.1'])
    const api = client.extend({ retry, enableUnixSockets: true }, authGot(scheme))
    for (const url of ['http://unix/run/none.sock:/path', 'unix:/run/none.sock:/path']) {
      expect(await failure(api(url))).toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
    }
  })

  test('a unix socket is not signed for, since nothing of its URL is an origin', async () => {
    const scheme = recordingScheme(['http://unix'])
    const options = { retry, enableUnixSockets: true }
    for (const cache of [undefined, new Map<string, unknown>()]) {
      const api = client.extend({ ...options, ...(cache && { cache }) }, authGot(scheme))
      const error = await failure(api('http://unix/run/none.sock:/path?query'))
      expect(error).toMatchObject({ code: 'ERR_AUTH_URL' })
      expect(error.message).toContain('Unix socket')
      expect(error.message).not.toContain('query')
    }
    expect(scheme.seen).toEqual([])
  })

  test('a protocol that the server switches to is a hang-up', async () => {
    const agent = new RecordingAgent()
    const server = createTcpServer((socket) => {
      onTestFinished(() => void socket.destroy())
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
      })
    })
    const origin = `http://${await listen(server)}`
    const scheme = recordingScheme([origin])
    const api = client.extend({ retry, agent: { http: agent } }, authGot(scheme))

    expect(await failure(api(origin))).toMatchObject({ code: 'ECONNRESET' })
    expect(agent.opened.map(({ destroyed }) => destroyed)).toEqual([true])
  })

  test('a continue of the server is told of', async () => {
    const server = await serve()
    const api = client.extend(authGot(recordingScheme([server.origin])))
    const call = api.stream(server.origin, {
      method: 'PUT',
      headers: { expect: '100-continue', 'content-length': '4' },
    })
    await new Promise((resolve) => call.once('continue', resolve))
    call.end('body')
    await text(call)
    expect(server.arrived[0]?.body.toString()).toBe('body')
  })

  test('an end over HTTP/2 ends the lease as well', async () => {
    const arrived = gate()
    const server = createSecureServer({ ...certificate }, arrived.open)
    server.on('session', (session) => onTestFinished(() => session.destroy()))
    const origin = `https://${await listen(server)}`
    const abandoned = gate()
    const scheme = recordingScheme([origin], () => ({ abandon: abandoned.open }))
    const options = { retry, http2: true, https: { certificateAuthority: certificate.cert } }
    const call = client.extend(options, authGot(scheme)).stream(origin)
    await arrived.opened
    call.destroy()

    await abandoned.opened
    expect(call.destroyed).toBe(true)
  })

  test('speaks HTTP/2: replays, redirects and streams', async () => {
    const arrived: { version: string; path: string; sent: unknown; body: string }[] = []
    const server = createSecureServer(
      { ...certificate, allowHTTP1: true },
      async (request: Http2ServerRequest, response: Http2ServerResponse) => {
        const { httpVersion: version, url: path, headers } = request
        const body = await text(request)
        arrived.push({ version, path, sent: headers['x-test-credential'], body })
        if (path === '/start') response.writeHead(307, { location: '/end' })
        else response.writeHead(arrived.length === 1 ? 401 : 200)
        response.end('text')
      },
    )
    const origin = `https://${await listen(server)}`
    const scheme = recordingScheme([origin], () => ({ review: rejects401 }))
    const options = { retry, http2: true, https: { certificateAuthority: certificate.cert } }
    const api = client.extend(options, authGot(scheme))
    expect(await api(`${origin}/refused`, { method: 'POST', body: 'a' })).toMatchObject({
      body: 'text',
    })
    await api(`${origin}/start`, { method: 'POST', body: 'b' })
    await api(`${origin}/stream`, { method: 'PUT', body: Readable.from(['c', 'd']) })

    expect(arrived).toEqual(
      [
        ['/refused', 'a'],
        ['/refused', 'a'],
        ['/start', 'b'],
        ['/end', 'b'],
        ['/stream', 'cd'],
      ].map(([path, body], index) => ({
        version: '2.0',
        path,
        body,
        sent: `${credential}-${index + 1}`,
      })),
    )
  })

  test('a stream that the user tries again is authorized anew', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count === 1 ? 503 : 200
      response.end('text')
    })
    const limited = {
      limit: 1,
      calculateDelay: ({ computedValue }: { computedValue: number }) => computedValue && 1,
    }
    const api = client.extend({ retry: limited }, authGot(recordingScheme([server.origin])))
    const again = await new Promise<Duplex>((resolve) => {
      const first = api.stream(server.origin)
      first.once('retry', (_count: number, _error: Error, create: () => Duplex) => {
        resolve(create())
      })
      first.resume()
    })

    expect(await text(again)).toBe('text')
    expect(server.arrived.map(({ headers }) => headers['x-test-credential'])).toEqual([
      `${credential}-1`,
      `${credential}-2`,
    ])
  })

  test('a response that comes before the end of an upload is given', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.end('HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 4\r\n\r\ntext')
      })
    })
    const origin = `http://${await listen(server)}`
    const scheme = recordingScheme([origin], () => ({
      review: async () => {
        await takeLong()
        return undefined
      },
    }))
    async function* endless() {
      for (let count = 0; count < 1e6; count += 1) {
        yield Buffer.alloc(1024)
        await new Promise(setImmediate)
      }
    }
    const api = client.extend({ retry, throwHttpErrors: false }, authGot(scheme))
    const response = await api(origin, { method: 'PUT', body: endless() })
    expect(response).toMatchObject({ statusCode: 413, body: 'text' })
  })
})

/** A scheme whose login ends when the test says so, with an agent that has a connection ready. */
async function setUpLogin(client: CommonGot) {
  const server = await serve()
  const http = new Agent({ keepAlive: true })
  onTestFinished(() => http.destroy())
  const plain = client.extend({ retry, agent: { http } })
  await plain(server.origin)
  const asked = gate()
  const login = gate()
  const scheme: AuthScheme = {
    ...recordingScheme([server.origin]),
    async authorize() {
      asked.open()
      await login.opened
      return { scheme: 'x', headers: [] }
    },
  }
  const api = plain.extend(authGot(scheme))
  return {
    server,
    api,
    asked: asked.opened,
    /** Ends the login, and tells what has arrived after it. */
    arrivedAfterLogin: async () => {
      login.open()
      await new Promise(setImmediate)
      await plain(`${server.origin}/later`)
      return server.arrived.map(({ path }) => path)
    },
  }
}

describe.each(majors)('a caller of %s who gives up during a login', (_name, client: CommonGot) => {
  test('by a body that fails hears of it at once, and nothing is sent', async () => {
    const { server, api, asked, arrivedAfterLogin } = await setUpLogin(client)
    const body = new PassThrough()
    const call = failure(api(`${server.origin}/put`, { method: 'PUT', body }))
    await asked
    body.destroy(new Error('it failed'))
    expect(await call).toMatchObject({ name: 'UploadError', message: 'it failed' })
    expect(await arrivedAfterLogin()).toEqual(['/', '/later'])
  })

  test('by the end of a stream sends nothing', async () => {
    const { server, api, asked, arrivedAfterLogin } = await setUpLogin(client)
    const stream = api.stream(`${server.origin}/get`)
    await asked
    const closed = once(stream, 'close')
    stream.destroy()
    await closed
    expect(await arrivedAfterLogin()).toEqual(['/', '/later'])
  })
})

// got 15 and later have signals alone.
test('a caller of got 14 who cancels during a login hears of it at once, and nothing is sent', async () => {
  const [, client] = majors.find(([name]) => name === 'got 14') ?? []
  if (!client) throw new Error('got 14 was expected')
  const { server, api, asked, arrivedAfterLogin } = await setUpLogin(client)
  const call = api(`${server.origin}/get`)
  await asked
  call.cancel?.()
  expect(await failure(call)).toMatchObject({ name: 'CancelError' })
  expect(await arrivedAfterLogin()).toEqual(['/', '/later'])
})
