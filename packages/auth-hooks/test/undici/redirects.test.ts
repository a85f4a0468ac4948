import { Readable } from 'node:stream'
import { AuthError, authFetch } from '@svc/auth-hooks'
import { authInterceptor } from '@svc/auth-hooks/undici'
import type { AuthScheme } from '@svc/types'
import { describe, expect, test } from 'vitest'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { type RecordingServer, redirectTo, serve } from '../support/server.ts'
import { streamFrom } from '../support/streams.ts'
import { agentOf, builtInFetch, forBuiltInFetch, majors } from './majors.ts'

/** A server that the scheme covers, and another one, to which the first redirects. */
async function servers(): Promise<{ ours: RecordingServer; other: RecordingServer }> {
  const other = await serve((_request, response) => response.end('other'))
  const ours = await serve(({ path }, response) => {
    if (path === '/away') redirectTo(response, 307, `${other.origin}/stolen`)
    else if (path === '/within') redirectTo(response, 302, '/target?a=b')
    else response.end('ours')
  })
  return { ours, other }
}

const bears = ({ rawHeaders }: RecordingServer['arrived'][number]): boolean =>
  JSON.stringify(rawHeaders).includes(credential)

describe.each(majors)('%s', (_name, undici) => {
  const redirect = undici.interceptors.redirect({ maxRedirections: 5 })

  test('a redirect is the response where nobody follows it', async () => {
    const { ours, other } = await servers()
    const dispatcher = agentOf(undici, recordingScheme([ours.origin]))
    const { statusCode, headers } = await undici.request(`${ours.origin}/away`, { dispatcher })
    expect([statusCode, headers['location']]).toEqual([307, `${other.origin}/stolen`])
    expect(other.arrived).toEqual([])
  })

  test('a redirect interceptor outside has each hop authorized, with its method and URL', async () => {
    const { ours } = await servers()
    const scheme = recordingScheme([ours.origin])
    const dispatcher = agentOf(undici, scheme, { outside: [redirect] })
    const options = { dispatcher, method: 'POST', body: 'body' } as const
    const { body } = await undici.request(`${ours.origin}/within`, options)
    expect(await body.text()).toBe('ours')
    const seen = scheme.seen.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)
    expect(seen).toEqual(['POST /within', 'GET /target?a=b'])
    expect(ours.arrived.map((request) => request.headers['x-test-credential'])).toEqual([
      `${credential}-1`,
      `${credential}-2`,
    ])
  })

  test('a redirect interceptor inside does not follow, and no credential leaves', async () => {
    const { ours, other } = await servers()
    const dispatcher = agentOf(undici, recordingScheme([ours.origin]), { inside: [redirect] })
    const { statusCode } = await undici.request(`${ours.origin}/away`, { dispatcher })
    expect(statusCode).toBe(307)
    expect(other.arrived).toEqual([])
    expect(ours.arrived.every(bears)).toBe(true)
  })

  test('the same interceptor inside takes a credential along where this one is not', async () => {
    const { ours, other } = await servers()
    const dispatcher = new undici.Agent().compose(redirect)
    const headers = { 'x-test-credential': credential }
    await undici.request(`${ours.origin}/away`, { dispatcher, headers })
    expect(other.arrived.map(bears)).toEqual([true])
    await dispatcher.close()
  })

  test.each([
    ['undici.fetch', undici.fetch as unknown as typeof builtInFetch],
    ['the fetch of Node', builtInFetch],
  ])('%s has each hop authorized, and cannot leave either', async (_client, send) => {
    const { ours, other } = await servers()
    const scheme = recordingScheme([ours.origin])
    const dispatcher = agentOf(undici, scheme)
    const response = await send(`${ours.origin}/within`, { dispatcher })
    expect([response.redirected, await response.text()]).toEqual([true, 'ours'])
    expect(scheme.seen.map(({ url }) => url.pathname)).toEqual(['/within', '/target'])
    await expect(send(`${ours.origin}/away`, { dispatcher })).rejects.toMatchObject({
      cause: { code: 'ERR_AUTH_ORIGIN' },
    })
    expect(other.arrived).toEqual([])
  })

  test.each([
    ['undici.fetch', undici.fetch as unknown as typeof fetch],
    ['the fetch of Node', undefined],
  ])(
    'authFetch over %s with a dispatcher that redirects by itself sends no credential away',
    async (_client, inner) => {
      const { ours, other } = await servers()
      const plain = new undici.Agent()
      const composed = plain.compose(redirect)
      const dispatcher = inner ? composed : forBuiltInFetch(undici, composed)
      const send = authFetch(recordingScheme([ours.origin]), inner && { fetch: inner })
      const sent = send(`${ours.origin}/away`, { dispatcher } as RequestInit)
      await expect(sent).rejects.toMatchObject({ code: 'ERR_AUTH_REDIRECT' })
      const response = await send(`${ours.origin}/within`, { dispatcher } as RequestInit)
      expect(await response.text()).toBe('ours')
      expect(other.arrived).toEqual([])
      await plain.close()
    },
  )

  describe('with a retry interceptor', () => {
    const retry = undici.interceptors.retry({ minTimeout: 1, maxTimeout: 1, maxRetries: 3 })
    const dropping = serve.bind(undefined, (_request, response) => response.destroy())
    const unavailable = serve.bind(undefined, ({ count }, response) => {
      response.writeHead(count < 3 ? 503 : 200).end('response')
    })

    test('outside, each attempt is authorized anew', async () => {
      const server = await unavailable()
      const scheme = recordingScheme([server.origin])
      const dispatcher = agentOf(undici, scheme, { outside: [retry] })
      const options = { dispatcher, method: 'PUT', body: 'body' } as const
      const { body } = await undici.request(server.origin, options)
      expect(await body.text()).toBe('response')
      expect(server.arrived.map((request) => request.headers['x-test-credential'])).toEqual(
        [1, 2, 3].map((count) => `${credential}-${count}`),
      )
    })

    test('outside, the fetch of Node is tried again as well', async () => {
      const server = await unavailable()
      const scheme = recordingScheme([server.origin])
      const dispatcher = forBuiltInFetch(undici, agentOf(undici, scheme, { outside: [retry] }))
      const response = await builtInFetch(server.origin, { dispatcher })
      expect(await response.text()).toBe('response')
      expect(scheme.seen).toHaveLength(3)
    })

    test('inside, all of them bear the same credential', async () => {
      const server = await unavailable()
      const scheme = recordingScheme([server.origin])
      const dispatcher = agentOf(undici, scheme, { inside: [retry] })
      const { body } = await undici.request(server.origin, { dispatcher })
      expect(await body.text()).toBe('response')
      expect(server.arrived.map((request) => request.headers['x-test-credential'])).toEqual(
        [1, 1, 1].map((count) => `${credential}-${count}`),
      )
    })

    test.each([
      ['a stream of Node’s', () => Readable.from([Buffer.from('body'), Buffer.from('body')])],
      ['a web stream', () => streamFrom(Buffer.from('body'), Buffer.from('body'))],
    ])('inside, %s is not sent again, and the error names the order', async (_what, body) => {
      const server = await dropping()
      const dispatcher = agentOf(undici, recordingScheme([server.origin]), { inside: [retry] })
      const options = { dispatcher, method: 'PUT', body: body() as Readable } as const
      await expect(undici.request(server.origin, options)).rejects.toMatchObject({
        code: 'ERR_AUTH_BODY',
        message: expect.stringContaining('compose authInterceptor before interceptors.retry'),
      })
    })

    test('outside, a stream fails with the error of its connection', async () => {
      const server = await dropping()
      const dispatcher = agentOf(undici, recordingScheme([server.origin]), { outside: [retry] })
      const body = Readable.from([Buffer.from('body'), Buffer.from('body')])
      const sent = undici.request(server.origin, { dispatcher, method: 'PUT', body })
      await expect(sent).rejects.toMatchObject({ code: /^(?:ECONNRESET|UND_ERR_SOCKET)$/ })
    })

    test('an AuthError of the scheme is not tried again', async () => {
      let asked = 0
      const scheme: AuthScheme = {
        ...recordingScheme(['https://a.example']),
        authorize() {
          asked += 1
          throw new AuthError('ERR_AUTH_CREDENTIALS', 'no token')
        },
      }
      const dispatcher = agentOf(undici, scheme, { outside: [retry] })
      await expect(undici.request('https://a.example', { dispatcher })).rejects.toThrow('no token')
      expect(asked).toBe(1)
    })

    test('a refusal is handled by this interceptor, and the rest by the other', async () => {
      const statuses = [401, 503, 200]
      const server = await serve(({ count }, response) => {
        response.writeHead(statuses[count - 1] ?? 500).end('response')
      })
      const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
      const dispatcher = agentOf(undici, scheme, { outside: [retry] })
      const { statusCode } = await undici.request(server.origin, { dispatcher })
      expect(statusCode).toBe(200)
      expect(scheme.seen.map(({ reason }) => reason)).toEqual(['initial', 'rejected', 'initial'])
    })
  })

  test('a DNS interceptor inside leaves the name in place that is signed', async () => {
    const server = await serve()
    const origin = server.origin.replace('127.0.0.1', 'service.localhost')
    const lookup = undici.interceptors.dns({
      dualStack: false,
      lookup: (_origin, _options, found) =>
        found(null, [{ address: '127.0.0.1', family: 4, ttl: 1000 }]),
    })
    const scheme = recordingScheme([origin])
    const dispatcher = agentOf(undici, scheme, { inside: [lookup] })
    await undici.request(origin, { dispatcher })
    expect(scheme.seen[0]?.url.origin).toBe(origin)
    expect(server.arrived[0]?.headers.host).toBe(new URL(origin).host)
  })

  test('a proxy gets requests as they were authorized', async () => {
    const proxy = await serve((_request, response) => response.end('by proxy'))
    const scheme = recordingScheme(['http://a.example'])
    const agent = new undici.ProxyAgent({ uri: proxy.origin, proxyTunnel: false })
    const dispatcher = agent.compose(authInterceptor(scheme))
    const { body } = await undici.request('http://a.example/x', { dispatcher })
    expect(await body.text()).toBe('by proxy')
    expect(proxy.arrived.map(bears)).toEqual([true])
    await agent.close()
  })
})
