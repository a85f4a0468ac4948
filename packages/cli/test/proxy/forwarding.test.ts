import { once } from 'node:events'
import { Agent, get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { connect, createServer as createTcpServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  openEmulated,
  openInFrontOf,
  openProxy,
  secretHeader,
  sendRaw,
} from '../support/open-proxy.ts'
import { proxySecret } from '../support/proxy-environment.ts'

const send = (url: string, init: RequestInit = {}) =>
  fetch(url, {
    redirect: 'manual',
    ...init,
    headers: { ...secretHeader, ...(init.headers as object) },
  })

test('paths, queries, ranges and conditions arrive as they were sent', async () => {
  const { emulator, url } = await openEmulated()
  await send(`${url}/V1/a%20b%2Bc`, {
    method: 'PUT',
    body: '0123456789',
    headers: { 'content-type': 'text/plain' },
  })
  const range = await send(`${url}/V1/a%20b%2Bc`, { headers: { range: 'bytes=2-4' } })
  expect([range.status, await range.text()]).toEqual([206, '234'])
  expect(range.headers.get('content-range')).toBe('bytes 2-4/10')
  const etag = range.headers.get('etag') ?? ''
  const head = await send(`${url}/V1/a%20b%2Bc`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
  await send(`${url}/V1/a%20b%2Bc`, { headers: { 'if-none-match': etag } })
  expect(emulator.requests.map(({ path }) => path)).toEqual(Array(4).fill('/V1/a%20b%2Bc'))
  expect(emulator.requests.at(-1)?.headers['if-none-match']).toBe(etag)
  await send(`${url}/V1/?list-type=2&prefix=a%20b`)
  expect(emulator.requests.at(-1)?.target).toBe('/V1/?list-type=2&prefix=a%20b')
})

test('a base URL with a path is the root of the proxy', async () => {
  const targets: unknown[] = []
  const { url } = await openInFrontOf(
    (incoming, response) => {
      targets.push(incoming.url)
      response.end()
    },
    { path: '/api' },
  )
  for (const path of ['/V1/a?b=c', '/', '/api/a']) await send(url + path)
  expect(targets).toEqual(['/api/V1/a?b=c', '/api/', '/api/api/a'])
})

describe('a response', () => {
  test('loses what speaks of its origin or its connection, and keeps the rest', async () => {
    const { url } = await openInFrontOf((_, response) => {
      response.writeHead(
        418,
        [
          ['Set-Cookie', 'a=b'],
          ['Set-Cookie', 'c=d'],
          ['X-Twice', '1'],
          ['X-Twice', '2'],
          ['Strict-Transport-Security', 'max-age=1'],
          ['Alt-Svc', 'h3=":1"'],
          ['Clear-Site-Data', '"*"'],
          ['Access-Control-Allow-Origin', '*'],
          ['X-Svc-Proxy', 'forged'],
          ['Connection', 'x-hop'],
          ['X-Hop', '1'],
          ['X-Latin', 'caf\u00e9'],
          ['Content-Encoding', 'gzip'],
        ].flat(),
      )
      // Node writes a head that goes out with a text in the encoding of that.
      response.end(Buffer.from('not gzip'))
    })
    const raw = await sendRaw(
      Number(new URL(url).port),
      `GET /V1/a HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-svc-proxy-secret: ${proxySecret}\r\nconnection: close\r\n\r\n`,
    )
    expect(raw).toMatch(/^HTTP\/1\.1 418 /)
    expect(raw).not.toMatch(
      /set-cookie|strict-transport|alt-svc|clear-site|access-control|forged|x-hop/i,
    )
    expect(raw).toMatch(/X-Twice: 1\r\nX-Twice: 2\r\n/i)
    expect(raw).toMatch(/X-Latin: caf\u00e9\r\n/i)
    expect(raw).toMatch(/content-encoding: gzip/i)
    expect(raw).toContain('not gzip')
  })

  test('is a whole one only if that of the service was', async () => {
    const breaks: Record<string, (response: ServerResponse) => void> = {
      '/V1/length': (response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('half', () => response.destroy())
      },
      '/V1/chunked': (response) => response.write('half', () => response.destroy()),
      '/V1/head': (response) => response.destroy(),
    }
    const { url, logged } = await openInFrontOf((incoming, response) => {
      breaks[incoming.url ?? '']?.(response)
    })
    for (const path of ['/V1/length', '/V1/chunked']) {
      const response = await send(url + path)
      await expect(response.text()).rejects.toThrow('terminated')
    }
    const response = await send(`${url}/V1/head`)
    expect([response.status, response.headers.get('x-svc-proxy')]).toEqual([502, 'refused'])
    expect((await logged(3)).map((line) => line.split(' ').at(-1))).toEqual(
      Array(3).fill('UND_ERR_SOCKET'),
    )
  })

  test('that breaks off is reset for a client of HTTP/1.0, which knows its end by that of the connection', async () => {
    const { port } = await openInFrontOf((_, response) =>
      response.write('half', () => response.destroy()),
    )
    const socket = connect(port, '127.0.0.1').resume()
    socket.write(
      `GET /V1/a HTTP/1.0\r\nhost: 127.0.0.1:${port}\r\nx-svc-proxy-secret: ${proxySecret}\r\n\r\n`,
    )
    await expect(once(socket, 'close')).rejects.toThrow('ECONNRESET')
  })

  test('has no trailers', async () => {
    const { port } = await openInFrontOf((_, response) => {
      response.writeHead(200, { trailer: 'x-a' })
      response.write('body')
      response.addTrailers({ 'x-a': 'b' })
      response.end()
    })
    const text = await sendRaw(
      port,
      `GET /V1/a HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-svc-proxy-secret: ${proxySecret}\r\nconnection: close\r\n\r\n`,
    )
    expect(text).toContain('4\r\nbody\r\n0\r\n\r\n')
    expect(text).not.toMatch(/trailer|x-a/i)
  })

  test.each([
    ['/api/V1/b?c=d', '<proxy>/V1/b?c=d'],
    ['<service>/api/V1/b', '<proxy>/V1/b'],
    ['b', '<proxy>/V1/b'],
    ['/elsewhere', '<service>/elsewhere'],
    ['/apish', '<service>/apish'],
    ['//other.example/a', 'http://other.example/a'],
    ['https://other.example/a?X-Amz-Signature=b', 'https://other.example/a?X-Amz-Signature=b'],
    ['http://[', null],
  ])('that redirects to %s sends its client to %s', async (location, expected) => {
    let service = ''
    const { url, server } = await openInFrontOf(
      (_, response) =>
        response.writeHead(302, { location: location.replace('<service>', service) }).end(),
      { path: '/api' },
    )
    service = server.url.origin
    const response = await send(`${url}/V1/a`)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(
      expected?.replace('<proxy>', url).replace('<service>', service) ?? null,
    )
  })
})

test('a service that is away is a 502, which says so and quotes nothing', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  const { url } = await openProxy({ baseUrl: `http://127.0.0.1:${port}` })
  const response = await send(`${url}/V1/a?prefix=private`)
  expect(response.status).toBe(502)
  expect(await response.text()).toBe(
    '{"code":"ECONNREFUSED","message":"svc-auth proxy: the service could not be reached, or broke off (ECONNREFUSED)"}\n',
  )
})

test('a large body for a service that is away is a 502 too', async () => {
  const { port, logged } = await openProxy({ baseUrl: 'http://127.0.0.1:1' })
  const body = Buffer.alloc(3_000_000)
  const head = `PUT /V1/a HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-svc-proxy-secret: ${proxySecret}\r\ncontent-length: 3000000\r\n\r\n`
  expect(await sendRaw(port, head, body)).toMatch(/^HTTP\/1\.1 502 /)
  expect((await logged(1))[0]).toMatch(/ ECONNREFUSED$/)
})

test('a login that is refused is a 502 with the reason, and no secret', async () => {
  const { url } = await openEmulated({ env: { SVC_AUTH_PASSWORD: 'not-a-secret-wrong' } })
  const response = await send(`${url}/user/groups`)
  expect(response.status).toBe(502)
  const text = await response.text()
  expect(text).toContain('ERR_AUTH_LOGIN_REFUSED')
  expect(text).not.toContain('not-a-secret-wrong')
})

test('a credential that is not configured is a 502 that names the setting', async () => {
  const { url } = await openEmulated({ env: { SVC_AUTH_USERNAME: '', SVC_AUTH_PASSWORD: '' } })
  const response = await send(`${url}/user/groups`)
  expect([response.status, await response.text()]).toEqual([
    502,
    expect.stringContaining('SVC_AUTH_USERNAME'),
  ])
})

test('connections are kept and used again, on both sides', async () => {
  const sockets = new Set<unknown>()
  const { url } = await openInFrontOf((incoming, response) => {
    sockets.add(incoming.socket)
    response.end('a')
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ports = new Set<unknown>()
  for (let count = 0; count < 5; count += 1) {
    const request = httpGet(`${url}/V1/a`, { agent, headers: secretHeader })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    ports.add(request.socket?.localPort)
    await once(response.resume(), 'end')
  }
  expect([sockets.size, ports.size]).toEqual([1, 1])
})

test('two hundred requests at once each get their own response', async () => {
  const { url } = await openInFrontOf((incoming, response) => {
    setImmediate(() => response.end(`${incoming.url}`.repeat(100)))
  })
  const agent = new Agent({ maxSockets: 200 })
  const texts = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const request = httpGet(`${url}/V1/${index}`, { agent, headers: secretHeader })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      return (await response.toArray()).join('')
    }),
  )
  expect(texts).toEqual(texts.map((_, index) => `/V1/${index}`.repeat(100)))
})

test('a client that leaves ends the request to the service', async () => {
  const gone: Promise<unknown>[] = []
  const { port, logged } = await openInFrontOf((incoming, response) => {
    gone.push(once(response, 'close'))
    if (incoming.url === '/V1/slow') response.write('some')
  })
  for (const path of ['/V1/slow', '/V1/never']) {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-svc-proxy-secret: ${proxySecret}\r\n\r\n`,
    )
    if (path === '/V1/slow') await once(socket, 'data')
    else while (gone.length < 2) await new Promise(setImmediate)
    socket.destroy()
  }
  await Promise.all(gone)
  expect((await logged(2)).map((line) => line.replace(/\d+ms.*down/, '…'))).toEqual([
    'GET /V1/slow signature 200 … ClientClosedRequest',
    'GET /V1/never signature 0 … ClientClosedRequest',
  ])
})

test('a response of the service before the end of a body reaches the client', async () => {
  const { port } = await openInFrontOf((_, response) => response.writeHead(403).end('enough'))
  const body = Buffer.alloc(1_000_000)
  const head = `PUT /V1/a HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-svc-proxy-secret: ${proxySecret}\r\ncontent-length: 100000000\r\n\r\n`
  const text = await sendRaw(port, head, body)
  expect(text).toMatch(/^HTTP\/1\.1 403 /)
  expect(text).toContain('enough')
})

test.each([
  ['2.0', ['--http2']],
  ['1.1', []],
] as const)('HTTP/%s to the service with %j, HTTP/1.1 to the client', async (version, flags) => {
  const { makeTlsCertificate } = await import('../../../../tests/support/tls-certificate.ts')
  const { key, cert } = await makeTlsCertificate()
  const seen: string[] = []
  const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
    seen.push(`${request.httpVersion} ${request.method} ${request.url}`)
    response.setHeader('set-cookie', 'a=b')
    response.setHeader('x-a', 'b')
    if (request.method === 'GET') response.end(Buffer.alloc(3_000_000, 'a'))
    else {
      let bytes = 0
      request.on('data', (chunk: Buffer) => (bytes += chunk.byteLength))
      request.on('end', () => response.end(String(bytes)))
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { startProcess } = await import('../support/start-proxy-process.ts')
  const baseUrl = `https://127.0.0.1:${port}`
  const { url } = await startProcess({ baseUrl, certificate: cert, flags })
  const read = await send(`${url}/V1/a`)
  expect((await read.arrayBuffer()).byteLength).toBe(3_000_000)
  expect(read.headers.get('x-a')).toBe('b')
  expect(read.headers.get('set-cookie')).toBeNull()
  const put = await send(`${url}/V1/a`, { method: 'PUT', body: new Uint8Array(3_000_000) })
  expect(await put.text()).toBe('3000000')
  expect(seen).toEqual([`${version} GET /V1/a`, `${version} PUT /V1/a`])
})
