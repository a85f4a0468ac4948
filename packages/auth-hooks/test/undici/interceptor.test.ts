import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { credential, recordingScheme } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { agentOf, builtInFetch, majors } from './majors.ts'

describe.each(majors)('%s', (_name, undici) => {
  test('request, stream, pipeline and both fetches are authorized, each for itself', async () => {
    const server = await serve((request, response) => response.end(`response ${request.count}`))
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme)

    const { body } = await undici.request(`${server.origin}/1?a=b`, { dispatcher })
    expect(await body.text()).toBe('response 1')

    const chunks: Buffer[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        chunks.push(chunk)
        done()
      },
    })
    await undici.stream(`${server.origin}/2`, { dispatcher, method: 'GET' }, () => sink)
    expect(Buffer.concat(chunks).toString()).toBe('response 2')

    const duplex = undici.pipeline(
      `${server.origin}/3`,
      { dispatcher, method: 'PUT' },
      ({ body: received }) => received,
    )
    const [received] = await Promise.all([text(duplex), pipeline(Readable.from(['up']), duplex)])
    expect(received).toBe('response 3')

    const fetched = await undici.fetch(`${server.origin}/4`, { dispatcher })
    expect(await fetched.text()).toBe('response 4')
    const builtIn = await builtInFetch(`${server.origin}/5`, { dispatcher })
    expect(await builtIn.text()).toBe('response 5')

    const seen = server.arrived.map(({ method, path, headers }) => [
      method,
      path,
      headers['x-test-credential'],
    ])
    expect(seen).toEqual([
      ['GET', '/1?a=b', `${credential}-1`],
      ['GET', '/2', `${credential}-2`],
      ['PUT', '/3', `${credential}-3`],
      ['GET', '/4', `${credential}-4`],
      ['GET', '/5', `${credential}-5`],
    ])
    expect(server.arrived[2]?.body.toString()).toBe('up')
  })

  test('a scheme that takes its time, and one that does not, give the same', async () => {
    const server = await serve((_request, response) => response.writeHead(201).end('made'))
    const scheme = recordingScheme([server.origin])
    const slow = {
      ...scheme,
      authorize: async (request) => scheme.authorize(request),
    } as AuthScheme
    for (const dispatcher of [agentOf(undici, scheme), agentOf(undici, slow)]) {
      const options = { dispatcher, method: 'PUT', body: 'text' } as const
      const { statusCode, body } = await undici.request(`${server.origin}/`, options)
      expect([statusCode, await body.text()]).toEqual([201, 'made'])
    }
    expect(server.arrived.map(({ body }) => body.toString())).toEqual(['text', 'text'])
  })

  test('composed first it is the innermost one, and signs what the others changed', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme, {
      outside: [
        (dispatch) => (options, handler) =>
          dispatch({ ...options, path: '/changed', headers: { 'x-trace': '1' } }, handler),
      ],
    })
    await undici.request(`${server.origin}/`, { dispatcher })
    expect(scheme.seen[0]?.url.href).toBe(`${server.origin}/changed`)
    expect(scheme.seen[0]?.headers.get('x-trace')).toBe('1')
    expect(server.arrived[0]?.path).toBe('/changed')
  })

  test('the wire form of a URL is sent as it stands, and so is what a scheme removes', async () => {
    const server = await serve()
    const url = `${server.origin}/a%2Bb//c'd?x=%20&x`
    const headers = [['x-unwanted', null]] as const
    const scheme = recordingScheme([server.origin], () => ({ url, headers }))
    const dispatcher = agentOf(undici, scheme)
    await undici.request(`${server.origin}/a+b//c'd?x&x=+`, {
      dispatcher,
      headers: { 'x-unwanted': '1' },
    })
    expect(server.arrived[0]?.path).toBe("/a%2Bb//c'd?x=%20&x")
    expect(server.arrived[0]?.headers).not.toHaveProperty('x-unwanted')
  })

  test('what a scheme sees is what is sent, however the address is given', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const dispatcher = agentOf(undici, scheme)
    const { host } = new URL(server.origin)
    const origin = new URL(server.origin)
    const query = { q: 'a b', n: [1, 2], empty: '' }
    await dispatcher.request({ origin, path: '/search', method: 'GET', query })
    await dispatcher.request({ origin, path: `//${host}.evil.example/x`, method: 'GET' })
    await dispatcher.request({ origin, path: '/user/../bucket?', method: 'GET' })

    await dispatcher.request({ origin, path: '/a#b', method: 'GET' })

    const paths = server.arrived.map(({ path }) => path)
    expect(paths).toEqual([
      '/search?q=a%20b&n=1&n=2&empty=',
      `//${host}.evil.example/x`,
      '/bucket?',
      '/a',
    ])
    expect(scheme.seen.map(({ url }) => url.href.replace('#b', ''))).toEqual(
      paths.map((path) => server.origin + path),
    )
  })

  test.each([
    ['another origin', { origin: 'https://b.example', path: '/' }, 'ERR_AUTH_ORIGIN'],
    ['a user name', { origin: 'https://user@a.example', path: '/' }, 'ERR_AUTH_URL'],
    ['no origin', { path: '/' }, 'ERR_AUTH_URL'],
    [
      'a path of a proxy',
      { origin: 'https://a.example', path: 'http://b.example/' },
      'ERR_AUTH_URL',
    ],
    ['two queries', { origin: 'https://a.example', path: '/?a', query: { b: 1 } }, 'ERR_AUTH_URL'],
    [
      'a header without a value',
      { origin: 'https://a.example', path: '/', headers: ['a'] },
      'ERR_AUTH_HEADER',
    ],
  ])('%s is refused with a typed error', async (_what, options, code) => {
    const scheme = recordingScheme(['https://a.example'])
    const dispatcher = agentOf(undici, scheme)
    const sent = dispatcher.request({ method: 'GET', ...options })
    await expect(sent).rejects.toMatchObject({ name: 'AuthError', code })
    expect(scheme.seen).toEqual([])
  })

  test('fetch gives such an error as the cause of its own', async () => {
    const dispatcher = agentOf(undici, recordingScheme(['https://a.example']))
    const refused = { cause: { name: 'AuthError', code: 'ERR_AUTH_ORIGIN' } }
    await expect(undici.fetch('https://b.example', { dispatcher })).rejects.toMatchObject(refused)
    await expect(builtInFetch('https://b.example', { dispatcher })).rejects.toMatchObject(refused)
  })

  test('what a scheme throws is what the request fails with', async () => {
    const failure = new Error('no token')
    const thrower = recordingScheme(['https://a.example'], () => {
      throw failure
    })
    const dispatcher = agentOf(undici, thrower)
    await expect(undici.request('https://a.example', { dispatcher })).rejects.toBe(failure)
  })

  test('a Client and a Pool serve their own origin', async () => {
    const server = await serve()
    const { origin } = server
    const scheme = recordingScheme([origin])
    for (const Kind of [undici.Client, undici.Pool]) {
      const plain = new Kind(origin)
      onTestFinished(() => plain.destroy())
      const client = plain.compose(authInterceptor(scheme))
      await client.request({ origin, path: '/', method: 'GET' })
    }
    const credentials = server.arrived.map(({ headers }) => headers['x-test-credential'])
    expect(credentials).toEqual([`${credential}-1`, `${credential}-2`])
  })

  test('informational responses go to the caller, and the final one is reviewed', async () => {
    const statuses: number[] = []
    const server = await serve((_request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      response.end('final')
    })
    const scheme = recordingScheme([server.origin], () => ({
      review: ({ status }) => void statuses.push(status),
    }))
    const dispatcher = agentOf(undici, scheme)
    const informed: number[] = []
    const { body } = await undici.request(server.origin, {
      dispatcher,
      onInfo: ({ statusCode }) => informed.push(statusCode),
    })
    expect(await body.text()).toBe('final')
    expect(await (await undici.fetch(server.origin, { dispatcher })).text()).toBe('final')
    expect(await (await builtInFetch(server.origin, { dispatcher })).text()).toBe('final')
    expect(informed).toEqual([103])
    expect(statuses).toEqual([200, 200, 200])
  })

  test('an upgrade is authorized as any request, and sent once more where it is refused', async () => {
    const received: unknown[] = []
    const server = createServer((_request, response) => response.writeHead(401).end('no'))
    server.on('upgrade', (request, socket) => {
      received.push(request.headers['x-test-credential'])
      const head = received.length === 1 ? '401 Unauthorized\r\ncontent-length: 0' : '101 Yes'
      const upgrade = received.length === 1 ? '' : 'connection: upgrade\r\nupgrade: echo\r\n'
      socket.write(`HTTP/1.1 ${head}\r\n${upgrade}\r\n`)
      if (received.length > 1) socket.end('hello')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const scheme = recordingScheme([origin], () => ({
      review: ({ status }) => (status === 401 ? 'rejected' : undefined),
    }))
    const dispatcher = agentOf(undici, scheme)

    const { headers, socket } = await undici.upgrade(origin, {
      dispatcher,
      protocol: 'echo',
      responseHeaders: 'raw',
    })
    expect(headers).toContain('echo')
    expect(await text(socket)).toBe('hello')
    expect(received).toEqual([`${credential}-1`, `${credential}-2`])
  })

  test('a CONNECT gets no credential', async () => {
    const server = createServer()
    const received: unknown[] = []
    server.on('connect', (request, socket) => {
      received.push(request.headers)
      socket.end('HTTP/1.1 200 OK\r\n\r\nhello')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const scheme = recordingScheme([origin])
    const dispatcher = agentOf(undici, scheme)

    const { socket } = await dispatcher.connect({ origin, path: 'b.example:443' })
    expect((await buffer(socket)).toString()).toBe('hello')
    expect(received).toHaveLength(1)
    expect(scheme.seen).toEqual([])
  })

  test('options of undici pass through', async () => {
    const server = await serve((request, response) => {
      if (request.path === '/slow') return
      response.writeHead(200, { connection: 'keep-alive', 'x-a': '1' }).end()
    })
    const dispatcher = agentOf(undici, recordingScheme([server.origin]))
    const { headers } = await undici.request(server.origin, {
      dispatcher,
      reset: true,
      responseHeaders: 'raw',
    })
    expect(server.arrived[0]?.headers.connection).toBe('close')
    expect(headers).toContain('x-a')
    const slow = undici.request(`${server.origin}/slow`, { dispatcher, headersTimeout: 1 })
    await expect(slow).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
  })

  test("a dispatch tells undici's own backpressure", async () => {
    const server = await serve()
    const agent = new undici.Pool(server.origin, { connections: 1, pipelining: 1 })
    onTestFinished(() => agent.destroy())
    const dispatcher = agent.compose(authInterceptor(recordingScheme([server.origin])))
    const hasRoom = await new Promise<boolean[]>((resolve, reject) => {
      const results: boolean[] = []
      for (let count = 0; count < 2; count += 1) {
        const options = { origin: server.origin, path: '/', method: 'GET' } as const
        results.push(
          dispatcher.dispatch(options, {
            onRequestStart: () => {},
            onResponseStart: () => {},
            onResponseData: () => {},
            onResponseEnd: () => resolve(results),
            onResponseError: (_controller, error) => reject(error),
          }),
        )
      }
    })
    expect(hasRoom).toEqual([false, false])
  })
})

test('a Client of undici 8 sends its credential to its own origin, whatever a request says', async () => {
  const server = await serve()
  const [, undici] = majors[1]!
  const plain = new undici.Client(server.origin)
  onTestFinished(() => plain.destroy())
  const client = plain.compose(authInterceptor(recordingScheme(['https://a.example'])))
  const sent = client.request({ origin: 'https://a.example', path: '/', method: 'GET' })
  await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_ORIGIN' })
  expect(server.arrived).toEqual([])
})

test('an undici that does not know such handlers is named as the fault', async () => {
  // As undici 6 rejects a handler without `onError`.
  const dispatchOf6 = (): boolean => {
    throw Object.assign(new Error('invalid onError method'), { code: 'UND_ERR_INVALID_ARG' })
  }
  const dispatch = authInterceptor(recordingScheme(['https://a.example']))(dispatchOf6)
  const error = await new Promise((onError) => {
    const options = { origin: 'https://a.example', path: '/', method: 'GET' }
    Reflect.apply(dispatch, undefined, [options, { onConnect() {}, onError }])
  })
  expect(error).toBeInstanceOf(TypeError)
  expect(String(error)).toContain('it works with undici 7 and 8')
})

test.each([
  [{ redirect: 'follow' }, 'redirect'],
  [{ sensitiveHeaders: ['cookie'] }, 'sensitiveHeaders'],
  [{ maxReplayBytes: -1 }, 'maxReplayBytes'],
  [{ maxReplayBytes: '1' }, 'maxReplayBytes'],
  [null, 'options'],
])('the option %o is refused at once', (options, name) => {
  const scheme = recordingScheme([])
  expect(() => authInterceptor(scheme, options as never)).toThrow(TypeError)
  expect(() => authInterceptor(scheme, options as never)).toThrow(name)
})

test('what is no scheme is refused at once', () => {
  expect(() => authInterceptor({ name: 'x' } as never)).toThrow('scheme must be an AuthScheme')
})
