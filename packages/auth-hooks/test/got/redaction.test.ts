import { Agent } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { authGot } from '@svc/auth-hooks/got'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findText } from '../../../../tests/support/find-text.ts'
import { makeTlsCertificate } from '../../../../tests/support/tls-certificate.ts'
import { credential, recordingScheme, rejects401 } from '../support/schemes.ts'
import { redirectTo, serve } from '../support/server.ts'
import { type CommonGot, failure, majors, retry } from './majors.ts'

const certificate = await makeTlsCertificate()

function expectNoCredential(value: unknown): void {
  expect(findText(value, credential)).toEqual([])
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  // A TCP server that listens has an address object.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the walk finds what Node keeps of a request', async () => {
  const server = await serve()
  const { get } = await import('node:http')
  const headers = { 'x-test-credential': credential }
  const response = await new Promise((resolve) => get(server.origin, { headers }, resolve))
  expect(findText(response, credential)).toContain('.req._header')
})

describe.each(majors)('%s', (_name, client: CommonGot) => {
  test('a response and its request hold no credential', async () => {
    const server = await serve((request, response) => {
      if (request.path === '/start') redirectTo(response, 302, '/end')
      else response.writeHead(request.count === 1 ? 401 : 200).end('{}')
    })
    const scheme = recordingScheme([server.origin], () => ({ review: rejects401 }))
    const response = await client.extend(authGot(scheme))(`${server.origin}/start`)

    expect(scheme.seen).toHaveLength(2)
    expectNoCredential(response)
    expectNoCredential(response.request)
    expectNoCredential(response.request.options)
  })

  test('a response on a kept connection holds no credential of others', async () => {
    const server = await serve((request, response) => {
      if (request.path !== '/waits') response.end()
    })
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ retry, agent: { http: agent } }, authGot(scheme))
    const ending = new AbortController()
    const waits = failure(api(`${server.origin}/waits`, { signal: ending.signal }))
    await api(`${server.origin}/first`)
    const response = await api(`${server.origin}/second`)

    expect(scheme.seen).toHaveLength(3)
    expectNoCredential(response)
    ending.abort()
    expectNoCredential(await waits)
  })

  test('an error holds no credential of requests that wait for a connection', async () => {
    const server = await serve(() => {})
    const agent = new Agent({ maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const scheme = recordingScheme([server.origin])
    const api = client.extend({ retry, agent: { http: agent } }, authGot(scheme))
    const ending = [new AbortController(), new AbortController(), new AbortController()]
    const calls = ending.map(({ signal }) => failure(api(server.origin, { signal })))
    await expect.poll(() => server.arrived).toHaveLength(1)
    ending[1]?.abort()

    expectNoCredential(await calls[1])
    for (const each of ending) each.abort()
    await Promise.all(calls)
  })

  test('an error for a status holds no credential', async () => {
    const server = await serve((_, response) => response.writeHead(400).end('{}'))
    const api = client.extend(authGot(recordingScheme([server.origin])))
    const error = await failure(api(server.origin, { method: 'POST', json: {} }))

    expect(error.name).toBe('HTTPError')
    expectNoCredential(error)
  })

  test('a timeout, a reset and a connection that is refused hold no credential', async () => {
    const silent = await listen(createTcpServer(() => {}))
    const resetting = await listen(
      createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    )
    const closed = createTcpServer()
    const refusing = await listen(closed)
    await new Promise((resolve) => closed.close(resolve))
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    for (const [host, code] of [
      [silent, 'ETIMEDOUT'],
      [resetting, 'ECONNRESET'],
      [refusing, 'ECONNREFUSED'],
    ]) {
      const scheme = recordingScheme([`http://${host}`])
      const options = { retry, timeout: { response: 50 }, agent: { http: agent } }
      const error = await failure(client.extend(options, authGot(scheme))(`http://${host}/`))

      expect(scheme.seen).toHaveLength(1)
      expect(error).toMatchObject({ code })
      expectNoCredential(error)
    }
  })

  test('hooks, events and the diagnostics of got see no credential', async () => {
    const server = await serve((request, response) =>
      response.writeHead(request.count === 1 ? 503 : 200).end(),
    )
    const told: unknown[] = []
    const tell = (...values: unknown[]): void => void told.push(...values)
    const { channel } = await import('node:diagnostics_channel')
    const channels = ['create', 'start', 'retry', 'error'].map((event) =>
      channel(`got:request:${event}`),
    )
    for (const each of channels) each.subscribe(tell)
    onTestFinished(() => channels.forEach((each) => each.unsubscribe(tell)))
    const hooks = {
      beforeRequest: [tell],
      beforeRetry: [tell],
      afterResponse: [(response: unknown) => (tell(response), response)],
    }
    const again = {
      limit: 1,
      calculateDelay: ({ computedValue }: { computedValue: number }) => computedValue && 1,
    }
    const api = client.extend(authGot(recordingScheme([server.origin])), { hooks, retry: again })
    const call = api.stream(server.origin)
    for (const event of ['request', 'response', 'retry']) call.on(event, tell)
    call.resume()
    await api(server.origin)

    expect(told.length).toBeGreaterThan(4)
    expectNoCredential(told)
  })

  test.each([true, false])(
    'a response over TLS holds no credential (HTTP/2: %s)',
    async (http2) => {
      const respond = (_: unknown, response: { end(text: string): unknown }) => response.end('text')
      const server = http2
        ? createSecureServer({ ...certificate, allowHTTP1: true }, respond)
        : createTlsServer({ ...certificate }, respond)
      const origin = `https://${await listen(server)}`
      const options = { http2, https: { certificateAuthority: certificate.cert } }
      const scheme = recordingScheme([origin])
      const response = await client.extend(options, authGot(scheme))(origin)

      expect(scheme.seen).toHaveLength(1)
      expectNoCredential(response)
    },
  )
})

test.each(majors)(
  'a request of %s that was sent gives its headers to nobody',
  async (_name, client: CommonGot) => {
    const server = await serve()
    const api = client.extend(authGot(recordingScheme([server.origin])))
    const response = await api(server.origin, { method: 'POST', body: 'body' })
    const sent: unknown = Reflect.get(response, 'req')
    expect(sent).toMatchObject({ headersSent: true, _header: 'POST / HTTP/1.1\r\n' })
    expect(JSON.stringify(Object(sent).getHeaders())).not.toContain(credential)
  },
)
