import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import { createSecureServer, createServer as createHttp2Server } from 'node:http2'
import { Agent as TlsAgent, createServer as createTlsServer } from 'node:https'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { authAxios } from '@svc/auth-hooks/axios'
import axios, { type AxiosAdapter, type AxiosRequestConfig } from 'axios'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findText } from '../../../../tests/support/find-text.ts'
import {
  makeTlsCertificate,
  type TlsCertificate,
} from '../../../../tests/support/tls-certificate.ts'
import { credential, recordingScheme } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'
import { clients, copies, failure } from './clients.ts'

let certificate: TlsCertificate
beforeAll(async () => {
  certificate = await makeTlsCertificate()
})

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  // A TCP server that listens has an address object.
  return (server.address() as AddressInfo).port
}

async function read(data: unknown): Promise<void> {
  if (data instanceof Readable || data instanceof ReadableStream) await text(data)
}

test('the walk finds what is hidden', () => {
  const holder = Object.defineProperty({}, 'hidden', { value: { [Symbol('key')]: credential } })
  expect(findText({ holder: new Map([[1, holder]]) }, credential)).toHaveLength(2)
  // Its headers are found by asking; Node 22 shows more of them.
  expect(findText([new Request('http://h', { headers: { a: credential } })], credential)).toEqual(
    expect.arrayContaining(['.0 request headers.0.1', 'util.inspect']),
  )
})

test('the walk finds what axios shows of a request', async () => {
  const server = await serve()
  const response = await axios.get(server.origin, { headers: { 'x-own': credential } })
  const paths = findText(response.request, credential).join()
  expect(paths).toContain('._header')
  expect(paths).toContain('.Symbol(kOutHeaders)')
})

describe.each(clients)('%s shows no credential', (_name, client) => {
  async function responding(status: number) {
    const server = await serve((request, response) => {
      if (request.path === '/endless') response.write('part')
      else if (request.path === '/redirect') redirectTo(response, 302, '/there')
      else response.writeHead(status, { 'x-response': '1' }).end('response')
    })
    const httpAgent = new Agent({ keepAlive: true })
    onTestFinished(() => httpAgent.destroy())
    const api = client.create(recordingScheme([server.origin]))
    return { api, httpAgent, url: server.origin, server }
  }

  test.each<[string, AxiosRequestConfig]>([
    ['text', { responseType: 'text' }],
    ['stream', { responseType: 'stream' }],
    ['body', { method: 'post', data: 'x'.repeat(100_000) }],
    ['upload', { method: 'put', data: Readable.from(['part']) }],
    ['redirect', { url: '/redirect' }],
  ])('in a response: %s', async (_kind, config) => {
    const { api, url, httpAgent } = await responding(200)
    const response = await api({ baseURL: url, url: '/', httpAgent, ...config })
    expect(findText(response, credential)).toEqual([])
    await read(response.data)
    expect(findText(response, credential)).toEqual([])
  })

  test.each<[string, AxiosRequestConfig]>([
    ['text', { responseType: 'text' }],
    ['stream', { responseType: 'stream' }],
  ])('in an error: %s', async (_kind, config) => {
    const { api, url, httpAgent } = await responding(500)
    const error = await failure(api.get(url, { httpAgent, ...config }))
    expect(findText(error, credential)).toEqual([])
  })

  test('of requests that are still under way on the same agent', async () => {
    const { api, url, httpAgent } = await responding(500)
    const controller = new AbortController()
    const { signal } = controller
    const options = { httpAgent, signal, responseType: 'stream' } as const
    const streaming = await api.get(`${url}/endless`, { ...options, validateStatus: null })
    const others = [1, 2].map(() =>
      failure(api.get(`${url}/endless`, { ...options, responseType: 'text' })),
    )
    const error = await failure(api.get(url, options))
    expect(findText([error, streaming], credential)).toEqual([])
    controller.abort()
    expect(findText(await Promise.all(others), credential)).toEqual([])
  })

  test('where a request waits for a connection', async () => {
    const { api, url } = await responding(200)
    const httpAgent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => httpAgent.destroy())
    const first = await api.get(`${url}/endless`, { httpAgent, responseType: 'stream' })
    const options = { httpAgent, timeout: 20 }
    // `fetch` does not wait, and has another response that does not end.
    const waiting = await failure(api.post(`${url}/endless`, 'body', options))
    expect(waiting).toMatchObject({ code: 'ECONNABORTED' })
    expect(findText([waiting, first], credential)).toEqual([])
  })

  test('where a request is aborted, times out, or its stream does', async () => {
    const { api, url, httpAgent } = await responding(200)
    const timedOut = await failure(api.get(`${url}/endless`, { timeout: 20, httpAgent }))
    expect(findText(timedOut, credential)).toEqual([])
    const controller = new AbortController()
    const { data } = await api.get(`${url}/endless`, {
      responseType: 'stream',
      signal: controller.signal,
    })
    const reading = failure(text(data))
    controller.abort()
    const error = await reading
    expect(error).toMatchObject({ code: 'ERR_CANCELED' })
    // It may be sent again, as the config of any error.
    expect(error).not.toHaveProperty('config.transport')
    expect(findText(error, credential)).toEqual([])
  })

  test('where a limit is passed while the response is read', async () => {
    const { api, url, httpAgent } = await responding(200)
    for (const responseType of ['text', 'stream'] as const) {
      const options = { responseType, maxContentLength: 1, httpAgent }
      const sent = api.get(url, options).then(({ data }) => read(data))
      // axios 1.7 knows this limit in its http adapter alone, and for no stream.
      const error: unknown = await sent.catch((reason: unknown) => reason)
      expect(findText(error, credential)).toEqual([])
    }
  })

  test('where the connection fails', async () => {
    const server = createServer()
    const port = await portOf(server)
    server.close()
    const origin = `http://127.0.0.1:${port}`
    const api = client.create(recordingScheme([origin]))
    const httpAgent = new Agent({ keepAlive: true })
    for (const data of [undefined, 'body', Readable.from(['stream'])]) {
      const error = await failure(api.put(origin, data, { httpAgent }))
      expect(findText(error, credential)).toEqual([])
    }
  })

  test('where the connection is still being made', async () => {
    const httpAgent = new Agent({
      keepAlive: true,
      // A lookup that does not end.
      lookup: () => {},
    })
    onTestFinished(() => httpAgent.destroy())
    const api = client.create(recordingScheme(['http://unknown.invalid']))
    const error = await failure(
      api.post('http://unknown.invalid', 'body', { httpAgent, timeout: 20 }),
    )
    expect(findText(error, credential)).toEqual([])
  })
})

describe.each(copies)('%s shows no credential', (_name, copy) => {
  const create = (origin: string) =>
    copy.create(authAxios(recordingScheme([origin]), { axios: copy }))

  test('over TLS', async () => {
    const port = await portOf(
      createTlsServer(certificate, (request, response) => response.end(`${request.url}`)),
    )
    const origin = `https://127.0.0.1:${port}`
    const httpsAgent = new TlsAgent({ keepAlive: true, ca: certificate.cert })
    onTestFinished(() => httpsAgent.destroy())
    const api = create(origin)
    const response = await api.get(`${origin}/path`, { httpsAgent, responseType: 'stream' })
    expect(findText([response, httpsAgent], credential)).toEqual([])
    expect(await text(response.data)).toBe('/path')
    const untrusting = new TlsAgent({ keepAlive: true })
    const error = await failure(api.get(origin, { httpsAgent: untrusting }))
    expect(error).toMatchObject({ isAxiosError: true })
    expect(findText([error, untrusting], credential)).toEqual([])
  })

  test('through a proxy, which gets the address', async () => {
    const asked: unknown[] = []
    const port = await portOf(
      createServer((request, response) => {
        asked.push(request.url, request.headers.host, request.headers['x-test-credential'])
        response.end('of the proxy')
      }),
    )
    const proxy = { host: '127.0.0.1', port, protocol: 'http' }
    const response = await create('http://search.invalid').get('http://search.invalid/p', { proxy })
    expect(response.data).toBe('of the proxy')
    expect(asked).toEqual(['http://search.invalid/p', 'search.invalid', `${credential}-1`])
    expect(findText(response, credential)).toEqual([])
  })

  test('in a transport of the caller’s, which follows no redirect by itself', async () => {
    const server = await serve((request, response) => {
      if (request.path === '/end') response.end('end')
      else redirectTo(response, 302, request.path === '/away' ? 'http://127.0.0.1:1/' : '/end')
    })
    const { http: transport } = createRequire(import.meta.resolve('axios'))('follow-redirects')
    const api = create(server.origin)
    const response = await api.get(server.origin, { transport, responseType: 'stream' })
    expect(findText(response, credential)).toEqual([])
    expect(await text(response.data)).toBe('end')
    expect(server.arrived[1]?.headers['x-test-credential']).toBe(`${credential}-2`)
    const error = await failure(api.get(`${server.origin}/away`, { transport }))
    expect(error).toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
  })
})

describe('axios over HTTP/2 shows no credential', () => {
  test.each(['http', 'https'])('%s', async (protocol) => {
    const server =
      protocol === 'http' ? createHttp2Server() : createSecureServer({ ...certificate })
    server.on('stream', (stream, headers) => {
      const isRefused = headers[':path'] === '/refused'
      if (headers[':path'] === '/moved') {
        stream.respond({ ':status': 302, location: '/' }, { endStream: true })
        return
      }
      stream.respond({ ':status': isRefused ? 500 : 200 })
      stream.end(isRefused ? 'refused' : String(headers['x-test-credential']))
    })
    const origin = `${protocol}://127.0.0.1:${await portOf(server)}`
    const api = axios.create({
      ...authAxios(recordingScheme([origin])),
      httpVersion: 2,
      http2Options: { ca: certificate.cert, sessionTimeout: 10 },
    })
    const response = await api.post(origin, { a: 1 })
    expect(response.data).toBe(`${credential}-1`)
    expect(findText({ ...response, data: '' }, credential)).toEqual([])
    const streamed = await api.get(origin, { responseType: 'stream' })
    expect(findText(streamed, credential)).toEqual([])
    expect(await text(streamed.data)).toBe(`${credential}-2`)
    expect((await api.get(`${origin}/moved`)).data).toBe(`${credential}-4`)
    const options = { responseType: 'stream', maxContentLength: 1 } as const
    const { data } = await api.get(origin, options)
    const late = await failure(text(data))
    expect(late).toMatchObject({ isAxiosError: true, config: options })
    expect(findText(late, credential)).toEqual([])
    const error = await failure(api.get(`${origin}/refused`))
    expect(findText(error, credential)).toEqual([])
    const limited = await failure(api.put(origin, Readable.from(['xxx']), { maxBodyLength: 1 }))
    expect(limited).toMatchObject({ isAxiosError: true })
    expect(findText(limited, credential)).toEqual([])
  })
})

describe.each(copies)('%s and a proxy for a request over TLS', (_name, copy) => {
  const setUp = async () => {
    const secure = createTlsServer(certificate, (request, response) => {
      response.end(`${request.url} ${String(request.headers['x-test-credential'])}`)
    })
    const securePort = await portOf(secure)
    let asked = ''
    const tunnel = createServer((request, response) => {
      asked = JSON.stringify(request.rawHeaders)
      response.end()
    })
    tunnel.on('connect', (request, socket) => {
      asked = JSON.stringify(request.rawHeaders)
      const onward = connect(securePort, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      onTestFinished(() => void onward.destroy())
    })
    const proxy = { host: '127.0.0.1', port: await portOf(tunnel), protocol: 'http' }
    const httpsAgent = new TlsAgent({ ca: certificate.cert })
    const origin = `https://localhost:${securePort}`
    const api = copy.create(authAxios(recordingScheme([origin]), { axios: copy }))
    return { get: () => api.get(`${origin}/p`, { proxy, httpsAgent }), asked: () => asked }
  }

  const isTunnelling = !copy.VERSION.startsWith('1.7.')
  const response = { data: `/p ${credential}-1` }
  const refusal = { code: 'ERR_AUTH_ORIGIN', message: expect.stringContaining('unencrypted') }

  test('go through a tunnel, or not at all', async () => {
    const { get, asked } = await setUp()
    const outcome = await get().catch((error: unknown) => error)
    expect(outcome).toMatchObject(isTunnelling ? response : refusal)
    expect(asked().includes('localhost')).toBe(isTunnelling)
    expect(asked()).not.toContain(credential)
    const { data: _data, ...shown } = { data: '', ...Object(outcome) }
    expect(findText(shown, credential)).toEqual([])
  })
})

test.each(copies)(
  'a request of %s that was sent gives its headers to nobody',
  async (_name, copy) => {
    const server = await serve((_request, response) => {
      response.statusCode = 500
      response.end()
    })
    const api = copy.create(authAxios(recordingScheme([server.origin]), { axios: copy }))
    const error = await failure(api.post(server.origin, 'body'))
    const { request } = Object(error)
    expect(request.getHeader('x-test-credential')).toBeUndefined()
    expect(JSON.stringify(request.getHeaders())).not.toContain(credential)
    expect(Reflect.get(request, '_header')).toBe('POST / HTTP/1.1\r\n')
    expect(request.headersSent).toBe(true)
  },
)

test('an adapter cannot write the request onto the error that the caller has', async () => {
  const sent: unknown[] = []
  const adapter: AxiosAdapter = ({ signal, headers }) =>
    new Promise(() => {
      signal?.addEventListener?.('abort', () => {
        sent.push(headers)
        // As the `fetch` adapter of axios does.
        if (signal instanceof AbortSignal) Object.assign(signal.reason, { request: { headers } })
      })
    })
  const api = axios.create(authAxios(recordingScheme(['http://127.0.0.1:1']), { adapter }))
  const error = await failure(api.get('http://127.0.0.1:1', { timeout: 1 }))
  expect(error).toMatchObject({ code: 'ECONNABORTED' })
  expect(findText(sent, credential)).not.toEqual([])
  expect(findText(error, credential)).toEqual([])
})
