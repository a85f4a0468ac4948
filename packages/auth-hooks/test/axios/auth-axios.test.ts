import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { AuthError } from '@svc/auth-hooks'
import { authAxios } from '@svc/auth-hooks/axios'
import type { AxiosAdapter, AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios'
import { describe, expect, onTestFinished, test } from 'vitest'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { serve } from '../support/server.ts'
import { clients, copies, failure } from './clients.ts'

describe.each(clients)('%s', (_name, client) => {
  describe('signs the address that is sent:', () => {
    test.each<[string, AxiosRequestConfig, string]>([
      ['a base and a path', { baseURL: '/base/', url: '/path' }, '/base/path'],
      [
        'parameters',
        { url: '/p?x=1', params: { a: 'b c', d: [1, 2] } },
        '/p?x=1&a=b+c&d[]=1&d[]=2',
      ],
      [
        'a serializer',
        { url: '/p', params: { a: 1 }, paramsSerializer: () => 'own=1' },
        '/p?own=1',
      ],
      ['what is encoded', { url: '/ä b', params: { q: "it's" } }, '/%C3%A4%20b?q=it%27s'],
      ['a fragment', { url: '/p#there', params: { a: 1 } }, '/p?a=1'],
      ['a path alone, even if it has a scheme', { url: 'p', allowAbsoluteUrls: false }, '/p'],
    ])('%s', async (_what, config, path) => {
      const server = await serve()
      const scheme = recordingScheme([server.origin])
      const baseURL = server.origin + (config.baseURL ?? '')
      await client.create(scheme).request({ ...config, baseURL })
      const sent = server.arrived[0]?.path ?? ''
      expect(decodeURI(sent)).toBe(decodeURI(path))
      expect(scheme.seen[0]?.url.href).toBe(server.origin + sent)
    })

    test('the wire form that the scheme gives, as it stands', async () => {
      const server = await serve()
      const url = `${server.origin}/a%2Fb%2Bc/?x=%2B&y=%20&z=`
      const scheme = recordingScheme([server.origin], () => ({ url }))
      await client.create(scheme).get(`${server.origin}/a`, { params: { n: 1 } })
      expect(server.origin + server.arrived[0]?.path).toBe(url)
    })
  })

  test('signs the headers that are sent', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    await client.create(scheme).get(server.origin, {
      headers: { 'X-Own': '1', 'X-Many': ['a', 'b'], Host: 'elsewhere', 'User-Agent': 'own' },
      auth: { username: 'näme', password: 'password' },
    })
    const [{ headers } = { headers: new Headers() }] = scheme.seen
    const sent = server.arrived[0]?.headers
    expect(sent).toMatchObject({
      host: new URL(server.origin).host,
      'x-own': '1',
      'x-many': 'a, b',
      'user-agent': 'own',
      authorization: `Basic ${Buffer.from('näme:password').toString('base64')}`,
      'x-test-credential': `${credential}-1`,
    })
    for (const [name, value] of headers) expect([name, sent?.[name]]).toEqual([name, value])
    expect(headers.has('x-own')).toBe(true)
  })

  test('leaves out what the caller wants left out', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    await api.post(server.origin, 'text', {
      headers: { Accept: false, 'Content-Type': false, 'User-Agent': false },
    })
    const headers = server.arrived[0]?.headers
    // `fetch` has an `accept` and a `user-agent` of its own.
    expect(headers?.accept ?? '').not.toContain('json')
    expect(headers?.['user-agent'] ?? '').not.toContain('axios')
    expect(headers).not.toHaveProperty('content-type')
  })

  test('runs after every interceptor and transform', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const api = client.create(scheme)
    api.interceptors.request.use((config) => {
      config.headers.set('x-intercepted', '1')
      config.url = `${server.origin}/intercepted`
      return config
    })
    await api.post(server.origin, 'body', { transformRequest: (data) => `transformed ${data}` })
    const [arrived] = server.arrived
    expect(arrived).toMatchObject({ path: '/intercepted', headers: { 'x-intercepted': '1' } })
    expect(arrived?.body.toString()).toBe('transformed body')
    expect(scheme.seen[0]?.headers.get('x-intercepted')).toBe('1')
    expect(scheme.seen[0]?.url.pathname).toBe('/intercepted')
  })

  test('a retry of the caller’s own, with the config of the error, is authorized anew', async () => {
    const server = await serve((request, response) => {
      response.statusCode = request.count < 3 ? 503 : 200
      response.end('there')
    })
    const api = client.create(recordingScheme([server.origin]))
    let retries = 0
    api.interceptors.response.use(undefined, (error: { config: InternalAxiosRequestConfig }) => {
      retries += 1
      error.config.headers.set('x-retry', `${retries}`)
      return api.request(error.config)
    })
    const { data } = await api.post(server.origin, { a: 1 }, { params: { q: 1 } })
    expect(data).toBe('there')
    expect(server.arrived.map(({ path, body }) => `${path} ${body.toString()}`)).toEqual(
      Array(3).fill('/?q=1 {"a":1}'),
    )
    expect(
      server.arrived.map(({ headers }) => [headers['x-test-credential'], headers['x-retry']]),
    ).toEqual([
      [`${credential}-1`, undefined],
      [`${credential}-2`, '1'],
      [`${credential}-3`, '2'],
    ])
  })

  test('serves one call as it serves an instance, and changes nothing of the caller’s', async () => {
    const server = await serve()
    const scheme = recordingScheme([server.origin])
    const { adapter } = authAxios(scheme, { adapter: client.adapter, axios: client.axios })
    const config = Object.freeze({
      adapter,
      headers: Object.freeze({ 'x-own': '1' }),
      params: Object.freeze({ a: 1 }),
    })
    const response = await client.axios.post(server.origin, { b: 1 }, config)
    expect(server.arrived[0]?.headers['x-test-credential']).toBe(`${credential}-1`)
    expect(response.config).toMatchObject({ url: server.origin, params: { a: 1 }, data: '{"b":1}' })
    expect(response.config).not.toHaveProperty('transport')
    expect(response.config.headers.has('x-test-credential')).toBe(false)
  })

  test('sends nothing to a URL that the scheme does not cover', async () => {
    const server = await serve()
    const error = await failure(client.create(recordingScheme([])).get(server.origin))
    expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_ORIGIN')
    expect(server.arrived).toHaveLength(0)
  })

  test('sends nothing in a mode in which a browser drops the credential', async () => {
    const server = await serve()
    const api = client.create(recordingScheme([server.origin]))
    const error = await failure(api.get(server.origin, { fetchOptions: { mode: 'no-cors' } }))
    expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_HEADER')
    expect(server.arrived).toHaveLength(0)
  })

  test.each(['/relative', 'data:text/plain,x', 'http://user:secret@127.0.0.1/'])(
    'refuses %s',
    async (url) => {
      const error = await failure(client.create(recordingScheme([])).get(url))
      expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_URL')
      expect(String(error)).not.toContain('secret')
    },
  )
})

describe.each(copies)('%s', (_name, copy) => {
  const scheme = recordingScheme([])

  test('sends over node:http if nothing else is asked for, and keeps its connections', async () => {
    const server = await serve()
    const httpAgent = new Agent({ keepAlive: true })
    const api = copy.create(authAxios(recordingScheme([server.origin]), { axios: copy }))
    const { request } = await api.get(server.origin, { httpAgent })
    await api.get(server.origin, { httpAgent })
    expect(request.constructor.name).toBe('ClientRequest')
    expect(request.res.responseUrl).toBe(`${server.origin}/`)
    expect(server.sockets()).toBe(1)
    httpAgent.destroy()
  })

  test('sends where a lookup, or a socket of the file system, leads', async () => {
    const server = await serve()
    const { port } = new URL(server.origin)
    const folder = await mkdtemp(join(tmpdir(), 'axios-'))
    const socketPath = join(folder, 'socket')
    const paths: (string | undefined)[] = []
    const local = createServer((request, response) => {
      paths.push(request.url)
      response.end()
    }).listen(socketPath)
    onTestFinished(() => {
      local.close()
      return rm(folder, { recursive: true })
    })
    const covering = recordingScheme([`http://search.invalid:${port}`, 'http://localhost'])
    const api = copy.create(authAxios(covering, { axios: copy }))
    await api.get(`http://search.invalid:${port}/looked-up`, {
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    expect(server.arrived[0]?.path).toBe('/looked-up')
    await api.get('/over/the/socket', { socketPath })
    expect(paths).toEqual(['/over/the/socket'])
  })

  test('may send over an adapter of the caller’s', async () => {
    const server = await serve()
    const limits: unknown[] = []
    const { adapter } = authAxios(recordingScheme([server.origin]), {
      axios: copy,
      adapter: (config) => {
        limits.push(config.maxRedirects)
        return copy.getAdapter('http')(config)
      },
    })
    const { data } = await copy.put(server.origin, new Blob(['a blob']), { adapter })
    expect(data).toBe('')
    expect(server.arrived[0]?.body.toString()).toBe('a blob')
    // It follows no redirect, as it is told to.
    expect(limits).toEqual([0])
  })

  test('gives a fetch adapter no stream of Node’s', async () => {
    const given: unknown[] = []
    const adapter: AxiosAdapter = async (config) => {
      given.push(config.data)
      return { status: 200, statusText: '', headers: {}, data: '', config }
    }
    Object.assign(adapter, { adapterName: 'fetch' })
    const api = copy.create(authAxios(recordingScheme(['https://h']), { axios: copy, adapter }))
    await api.put('https://h', Readable.from(['part']))
    expect(given).toEqual([expect.any(ReadableStream)])
  })

  test('refuses the redirect that a browser hides', async () => {
    const adapter: AxiosAdapter = async (config) => ({
      status: 0,
      statusText: '',
      headers: {},
      data: '',
      config,
    })
    const covering = recordingScheme(['https://h'])
    const api = copy.create(authAxios(covering, { axios: copy, adapter }))
    const error = await failure(api.get('https://h'))
    expect(AuthError.is(error) && error.code).toBe('ERR_AUTH_REDIRECT')
    expect(await api.get('https://h', { maxRedirects: 0 })).toMatchObject({ status: 0 })
  })

  test.each<[string, unknown]>([
    ['adapter', 'xhr'],
    ['adapter', 'smoke signals'],
    ['adapter', Object.assign(() => {}, { adapterName: 'xhr' })],
    ['axios', null],
    ['axios', 'axios'],
    ['axios', { ...copy, VERSION: '0.27.2' }],
    ['axios', { ...copy, VERSION: '1.6.8' }],
    ['axios', { ...copy, VERSION: '2.0.0' }],
    ['redirect', 'manual'],
    ['maxRedirects', -1],
  ])('throws at once where %s is %s', (option, value) => {
    expect(() => authAxios(scheme, { axios: copy, [option]: value })).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringMatching(`^\\[@svc/auth-hooks\\] authAxios: ${option} must`),
      }),
    )
  })

  test('names the version that is not supported', () => {
    const old = { ...copy, VERSION: '0.27.2' }
    expect(() => authAxios(scheme, { axios: old })).toThrow(/not be 0\.27\.2.*axios 1\.7/)
  })

  test('tells the library from an instance of it', () => {
    const instance: object = copy.create()
    const options: object = { axios: instance }
    expect(() => authAxios(scheme, options)).toThrow(
      /^\[@svc\/auth-hooks\] authAxios: axios must be .*not an instance/,
    )
  })

  test('says which adapter there is not', () => {
    const getAdapter = (): never => {
      throw new Error('not in this build')
    }
    const axios = { ...copy, getAdapter }
    expect(() => authAxios(scheme, { axios, adapter: 'http' })).toThrow(/adapter.*'http'/)
  })
})

test('requests of another copy of axios are served all the same', async () => {
  const server = await serve(({ count }, response) => {
    response.writeHead(count === 1 ? 401 : 404, { 'x-response': '1' }).end('{"a":1}')
  })
  for (const [, theirs] of copies) {
    for (const [, ours] of copies) {
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const api = theirs.create(authAxios(scheme, { axios: ours }))
      const error = await failure(api.get(server.origin))
      expect(theirs.isAxiosError(error) && error.response).toMatchObject({
        status: 404,
        data: { a: 1 },
        headers: { 'x-response': '1' },
      })
      expect(error).toBeInstanceOf(ours.AxiosError)
    }
  }
})
