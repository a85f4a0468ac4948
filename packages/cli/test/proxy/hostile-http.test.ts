import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openEmulated, openInFrontOf, secretHeader, sendRaw } from '../support/open-proxy.ts'
import { platformDouble } from '../support/platforms.ts'
import { proxySecret } from '../support/proxy-environment.ts'
import { openService, startProxyServer } from '../testing.ts'

const secret = `x-svc-proxy-secret: ${proxySecret}\r\n`

/** A request that would be let in. */
const request = (port: number, line = 'GET /V1/a HTTP/1.1', more = '', body = ''): string =>
  `${line}\r\nhost: 127.0.0.1:${port}\r\n${secret}connection: close\r\n${more}\r\n${body}`

const statusOf = (response: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1])

test.each<[name: string, status: number, send: (port: number) => string]>([
  [
    'both lengths',
    400,
    (port) =>
      request(
        port,
        'PUT /V1/a HTTP/1.1',
        'content-length: 4\r\ntransfer-encoding: chunked\r\n',
        '0\r\n\r\n',
      ),
  ],
  [
    'two lengths',
    400,
    (port) =>
      request(port, 'PUT /V1/a HTTP/1.1', 'content-length: 4\r\ncontent-length: 5\r\n', 'abcde'),
  ],
  [
    'the same length twice',
    400,
    (port) =>
      request(port, 'PUT /V1/a HTTP/1.1', 'content-length: 4\r\ncontent-length: 4\r\n', 'abcd'),
  ],
  [
    'a length with a sign',
    400,
    (port) => request(port, 'PUT /V1/a HTTP/1.1', 'content-length: +4\r\n', 'abcd'),
  ],
  [
    'a list as length',
    400,
    (port) => request(port, 'PUT /V1/a HTTP/1.1', 'content-length: 4, 4\r\n', 'abcd'),
  ],
  [
    'an odd coding',
    400,
    (port) => request(port, 'PUT /V1/a HTTP/1.1', 'transfer-encoding: xchunked\r\n', '0\r\n\r\n'),
  ],
  [
    'two codings',
    400,
    (port) =>
      request(port, 'PUT /V1/a HTTP/1.1', 'transfer-encoding: gzip, chunked\r\n', '0\r\n\r\n'),
  ],
  [
    'chunked twice',
    400,
    (port) =>
      request(
        port,
        'PUT /V1/a HTTP/1.1',
        'transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n',
        '0\r\n\r\n',
      ),
  ],
  [
    'an odd chunk size',
    400,
    (port) =>
      request(
        port,
        'PUT /V1/a HTTP/1.1',
        'transfer-encoding: chunked\r\n',
        '0x4\r\nabcd\r\n0\r\n\r\n',
      ),
  ],
  ['a blank before the colon', 400, (port) => request(port, undefined, 'x-a : b\r\n')],
  ['a NUL in a header', 400, (port) => request(port, undefined, 'x-a: b\0c\r\n')],
  ['two hosts', 400, (port) => request(port, undefined, `host: 127.0.0.1:${port}\r\n`)],
  ['no host', 400, () => `GET /V1/a HTTP/1.1\r\n${secret}connection: close\r\n\r\n`],
  [
    'another host',
    421,
    () => `GET /V1/a HTTP/1.1\r\nhost: evil.example\r\n${secret}connection: close\r\n\r\n`,
  ],
  [
    'another port',
    421,
    () => `GET /V1/a HTTP/1.1\r\nhost: 127.0.0.1:1\r\n${secret}connection: close\r\n\r\n`,
  ],
  [
    'a bucket as host',
    421,
    (port) => `GET /a HTTP/1.1\r\nhost: v1.localhost:${port}\r\n${secret}connection: close\r\n\r\n`,
  ],
  [
    'two Authorization headers',
    400,
    (port) => request(port, undefined, 'authorization: Bearer a\r\nauthorization: Bearer b\r\n'),
  ],
  ['two secrets', 400, (port) => request(port, undefined, secret)],
  ['an absolute form', 421, (port) => request(port, 'GET http://search.example.com/V1/a HTTP/1.1')],
  ['an authority form', 400, (port) => request(port, 'GET search.example.com:443 HTTP/1.1')],
  ['CONNECT', 405, (port) => request(port, 'CONNECT search.example.com:443 HTTP/1.1')],
  ['TRACE', 405, (port) => request(port, 'TRACE /V1/a HTTP/1.1')],
  ['an asterisk form', 400, (port) => request(port, 'OPTIONS * HTTP/1.1')],
  ['a dot segment', 400, (port) => request(port, 'GET /V1/../user/groups HTTP/1.1')],
  ['an escaped dot segment', 400, (port) => request(port, 'GET /V1/%2e%2E/user/groups HTTP/1.1')],
  [
    'a dot segment behind an escaped slash',
    400,
    (port) => request(port, 'GET /V1/a%2f..%2fb HTTP/1.1'),
  ],
  ['a backslash', 400, (port) => request(port, 'GET /V1\\a HTTP/1.1')],
  ['an escaped NUL', 400, (port) => request(port, 'GET /V1/a%00.csv HTTP/1.1')],
  ['a malformed escape', 400, (port) => request(port, 'GET /V1/%zz HTTP/1.1')],
  ['a fragment', 400, (port) => request(port, 'GET /V1/a#b HTTP/1.1')],
  ['an Origin', 403, (port) => request(port, undefined, 'origin: null\r\n')],
  [
    'a preflight',
    403,
    (port) =>
      request(
        port,
        'OPTIONS /V1/a HTTP/1.1',
        'origin: https://a.example\r\naccess-control-request-method: PUT\r\n',
      ),
  ],
  ['Sec-Fetch-Site', 403, (port) => request(port, undefined, 'sec-fetch-site: cross-site\r\n')],
  ['another expectation', 417, (port) => request(port, undefined, 'expect: 200-ok\r\n')],
  [
    'a head of 1 MiB',
    431,
    (port) => request(port, undefined, `x-a: ${'a'.repeat(1024 * 1024)}\r\n`),
  ],
  ['no HTTP at all', 400, () => 'hello\r\n\r\n'],
  ['HTTP/2 without an upgrade', 400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
])('%s is refused with %i, and nothing reaches the service', async (_name, status, send) => {
  const { emulator, port } = await openEmulated()
  const response = await sendRaw(port, send(port))
  expect(statusOf(response)).toBe(status)
  expect(response).toContain('x-svc-proxy: refused')
  expect(response).not.toMatch(/access-control/i)
  expect(response).not.toContain(proxySecret)
  expect(emulator.requests).toEqual([])
})

test('the absolute form of its own address is read as a path', async () => {
  const { emulator, port } = await openEmulated()
  const line = `GET http://127.0.0.1:${port}/user/groups HTTP/1.1`
  expect(statusOf(await sendRaw(port, request(port, line)))).toBe(200)
  expect(emulator.requests.at(-1)?.path).toBe('/user/groups')
})

test('it is known as localhost too, in any case', async () => {
  const { port } = await openEmulated()
  const text = request(port, 'GET /user/groups HTTP/1.1').replace('127.0.0.1', 'LocalHost')
  expect(statusOf(await sendRaw(port, text))).toBe(200)
})

test('an upgrade is not passed on, nor any header that Connection names', async () => {
  const seen: NodeJS.Dict<string | string[]>[] = []
  const { port } = await openInFrontOf((incoming, response) => {
    seen.push(incoming.headers)
    response.end()
  })
  const text = request(
    port,
    undefined,
    'x-a: 1\r\nx-b: 2\r\nupgrade: websocket\r\nte: trailers\r\n',
  )
  await sendRaw(port, text.replace('connection: close', 'connection: close, x-a, upgrade'))
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject({ 'x-b': '2' })
  for (const name of ['x-a', 'upgrade', 'te']) expect(seen[0]).not.toHaveProperty(name)
})

describe('a body', () => {
  test('that looks like a request stays a body', async () => {
    const { emulator, port } = await openEmulated()
    const body = request(port, 'DELETE /V1/a HTTP/1.1')
    const length = `content-length: ${body.length}\r\n`
    await sendRaw(port, request(port, 'PUT /V1/a HTTP/1.1', length, body))
    expect(emulator.requests.map(({ method }) => method)).toEqual(['PUT'])
  })

  test('of a client that is not let in is not read', async () => {
    const { emulator, port } = await openEmulated()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      `PUT /V1/a HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 1000000000\r\n\r\n`,
    )
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(statusOf(first.toString())).toBe(403)
    await once(socket.resume(), 'close')
    expect(emulator.requests).toEqual([])
  })

  test('that is on its way does not keep its client from the refusal', async () => {
    const { port, url, logged } = await openEmulated()
    const socket = connect(port, '127.0.0.1').pause()
    let text = ''
    socket.on('error', () => {})
    socket.write(`PUT /V1/a HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 250000\r\n\r\n`)
    socket.write(Buffer.alloc(250_000))
    // It reads only once the proxy is done with it, and a reset would have arrived.
    await logged(1)
    for (let count = 0; count < 3; count += 1) await fetch(url)
    socket.on('data', (data: Buffer) => (text += data.toString()))
    await new Promise((resolve) => {
      socket.once('close', resolve)
      socket.resume()
    })
    expect(statusOf(text)).toBe(403)
  })

  test('is asked for only once its request was let in', async () => {
    const { port } = await openEmulated()
    const expecting = 'content-length: 5\r\nexpect: 100-continue\r\n'
    const refused = request(port, 'PUT /V1/a HTTP/1.1', expecting).replace(
      proxySecret,
      'x'.repeat(20),
    )
    expect(await sendRaw(port, refused)).toMatch(/^HTTP\/1\.1 403 /)
    const socket = connect(port, '127.0.0.1')
    socket.write(request(port, 'PUT /V1/a HTTP/1.1', expecting))
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write('hello')
    const [second] = (await once(socket, 'data')) as [Buffer]
    expect(statusOf(second.toString())).toBe(200)
    socket.destroy()
  })
})

test('a head that does not come in time is refused', async () => {
  const { port } = await limited({ headTimeoutMs: 300 })
  const response = await sendRaw(port, 'GET /V1/a HTTP/1.1\r\nhost: a\r\n')
  expect(statusOf(response)).toBe(408)
})

test('a client that falls silent in the middle of its body is left', async () => {
  const { port } = await limited({ idleTimeoutMs: 300 })
  const text = request(port, 'PUT /V1/a HTTP/1.1', 'content-length: 5\r\n', 'he')
  expect(await sendRaw(port, text)).toBe('')
})

test('a connection beyond the most that are taken is closed', async () => {
  const { port } = await limited({ maxConnections: 1 })
  const first = connect(port, '127.0.0.1')
  await once(first, 'connect')
  expect(await sendRaw(port, request(port))).toBe('')
  first.destroy()
})

/** Starts a proxy with other limits than those of the command. */
async function limited(limits: Partial<Parameters<typeof startProxyServer>[0]['limits'] & object>) {
  const { service: emulated } = await openEmulated()
  const { PassThrough, Readable } = await import('node:stream')
  const stdout = new PassThrough()
  const context = {
    env: {
      SVC_AUTH_ACCESS_KEY_ID: 'EMULATORCLIENTKEY',
      SVC_AUTH_SECRET_ACCESS_KEY: 'not-a-secret-emulator-key',
    },
    stdin: Readable.from([]),
    stdout,
    stderr: new PassThrough(),
    platform: platformDouble(),
    clock: Date.now,
    signal: new AbortController().signal,
  }
  const service = await openService({ baseUrl: emulated.baseUrl, region: 'us-east-1' }, context)
  const { onTestFinished } = await import('vitest')
  const proxy = await startProxyServer({
    service,
    address: { port: 0 },
    allow: [],
    isReadOnly: false,
    credentials: { secret: secretHeader['x-svc-proxy-secret'], keyPair: undefined },
    describe: String,
    log: 'none',
    context,
    limits: {
      maxHeaderBytes: 65_536,
      maxConnections: 100,
      headTimeoutMs: 30_000,
      idleTimeoutMs: 30_000,
      ...limits,
    },
  })
  onTestFinished(async () => {
    await proxy.close(0)
    await service.close()
  })
  return { port: Number(new URL(proxy.url).port) }
}
