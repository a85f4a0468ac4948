import { createHash } from 'node:crypto'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeTlsCertificate } from '../../../../tests/support/tls-certificate.ts'
import {
  openEmulated,
  openInFrontOf,
  openProxy,
  secretHeader,
  sendRaw,
} from '../support/open-proxy.ts'
import { signedHead } from '../support/sign-request.ts'
import { startProcess } from '../support/start-proxy-process.ts'
import { proxySecret } from '../support/proxy-environment.ts'

const request = (port: number, line: string, more = '', body = ''): string =>
  `${line} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-svc-proxy-secret: ${proxySecret}\r\nconnection: close\r\n${more}\r\n${body}`

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('a header that is signed cannot be taken off by Connection', async () => {
  const { emulator, port } = await openEmulated()
  const head = signedHead({
    port,
    method: 'PUT',
    headers: [
      ['x-amz-server-side-encryption', 'AES256'],
      ['content-length', '0'],
    ],
  })
  const altered = head.replace(
    'connection: close',
    'connection: close, X-Amz-Server-Side-Encryption',
  )
  const response = await sendRaw(port, altered)
  expect(response).toMatch(/^HTTP\/1\.1 400 /)
  expect(response).toContain('the header x-amz-server-side-encryption is signed')
  expect(emulator.requests).toEqual([])
  expect(await sendRaw(port, head)).toMatch(/^HTTP\/1\.1 200 /)
})

test('metadata may have an underscore in its name, and nothing else of the service', async () => {
  const { emulator, url } = await openEmulated()
  const headers = {
    'x-amz-meta-my_key': 'a',
    x_amz_meta_other: 'b',
    'x-amz-acl_': 'c',
    ...secretHeader,
  }
  await fetch(`${url}/V1/a`, { method: 'PUT', body: 'a', headers })
  const sent = emulator.requests.at(-1)?.headers
  expect(sent).toHaveProperty('x-amz-meta-my_key', 'a')
  expect(sent).not.toHaveProperty('x_amz_meta_other')
  expect(sent).not.toHaveProperty('x-amz-acl_')
})

test('a small body that is not the declared one is refused, signed or not', async () => {
  const { emulator, url } = await openEmulated()
  const put = (hash: string) =>
    fetch(`${url}/V1/a`, {
      method: 'PUT',
      body: 'hello',
      headers: { ...secretHeader, 'x-amz-content-sha256': hash },
    })
  expect((await put(sha256('other'))).status).toBe(400)
  expect((await put(sha256('hello'))).status).toBe(200)
  expect(emulator.requests.filter(({ status }) => status === 200)).toHaveLength(1)
})

test.each(['/user/%256cogin', '/user%252flogin', '/us%2565r/login;a'])(
  'nobody logs in by an address that is decoded twice: %s',
  async (path) => {
    const { emulator, port } = await openEmulated()
    const response = await sendRaw(
      port,
      request(port, `POST ${path}`, 'content-length: 2\r\n', '{}'),
    )
    expect(response).toMatch(/^HTTP\/1\.1 403 /)
    expect(response).toContain('the proxy logs in by itself')
    expect(emulator.requests).toEqual([])
  },
)

/** Starts a service of HTTP/2 that says what it was sent, and a proxy for it as a process. */
async function openHttp2() {
  const { key, cert } = await makeTlsCertificate()
  const server = createSecureServer({ key, cert }, (incoming, response) => {
    let text = ''
    incoming.on('error', () => {}).on('data', (chunk: Buffer) => (text += chunk.toString()))
    incoming.on('end', () => response.end(`${incoming.method} ${text}`))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const baseUrl = `https://127.0.0.1:${port}`
  return startProcess({ baseUrl, certificate: cert, flags: ['--http2'] })
}

test('an upload that is broken off over HTTP/2 holds up nobody', async () => {
  const { url, port } = await openHttp2()
  const body = 'a'.repeat(1_000_000)
  const headers: [string, string][] = [['content-length', String(body.length)]]
  const head = signedHead({ port, method: 'PUT', payloadHash: sha256('other'), headers })
  for (let count = 0; count < 3; count += 1) {
    expect(await sendRaw(port, head, body)).toMatch(/^HTTP\/1\.1 400 /)
    const response = await fetch(`${url}/V1/a`, { method: 'PUT', headers: secretHeader, body })
    expect(await response.text()).toBe(`PUT ${body}`)
  }
})

describe('a body behind', () => {
  test.each(['GET', 'HEAD'])('%s is refused', async (method) => {
    const { emulator, port } = await openEmulated()
    for (const [more, body] of [
      ['content-length: 5\r\n', 'hello'],
      ['transfer-encoding: chunked\r\n', '5\r\nhello\r\n0\r\n\r\n'],
    ]) {
      const response = await sendRaw(port, request(port, `${method} /V1/a`, more, body))
      expect(response).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(emulator.requests).toEqual([])
    const empty = request(port, `${method} /V1/`, 'content-length: 0\r\n')
    expect(await sendRaw(port, empty)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('DELETE goes on over HTTP/2 too, and holds up nobody', async () => {
    const { url } = await openHttp2()
    for (const method of ['DELETE', 'OPTIONS', 'PROPFIND', 'PUT']) {
      for (const body of ['hello', 'a'.repeat(70_000)]) {
        const response = await fetch(`${url}/V1/a`, { method, headers: secretHeader, body })
        expect(await response.text()).toBe(`${method} ${body}`)
      }
    }
  })
})

test('the hash that was signed of a body is signed again, whatever the method', async () => {
  const { emulator, port } = await openEmulated()
  const head = signedHead({
    port,
    method: 'DELETE',
    payloadHash: sha256('hello'),
    headers: [['content-length', '5']],
  })
  expect(await sendRaw(port, head, 'hello')).toMatch(/^HTTP\/1\.1 204 /)
  expect(emulator.requests.at(-1)?.headers).toMatchObject({
    'content-length': '5',
    'x-amz-content-sha256': sha256('hello'),
  })
})

test.each(['304 Not Modified', '204 No Content'])(
  'a response %s passes, whatever length or body the service gives it',
  async (status) => {
    for (const body of ['', 'hello']) {
      const service = createServer((socket) =>
        socket
          .on('error', () => {})
          .once('data', () =>
            socket.write(`HTTP/1.1 ${status}\r\netag: "a"\r\ncontent-length: 5\r\n\r\n${body}`),
          ),
      )
      await new Promise<void>((resolve) => {
        service.listen(0, '127.0.0.1', resolve)
      })
      onTestFinished(() => void service.close())
      const { port: servicePort } = service.address() as AddressInfo
      const { port } = await openProxy({ baseUrl: `http://127.0.0.1:${servicePort}` })
      const response = await sendRaw(port, request(port, 'GET /V1/a'))
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`))
      expect(response).toContain('etag: "a"')
      expect(response).toMatch(/\r\n\r\n$/)
    }
  },
)

test('headers of a response that echo a credential do not pass', async () => {
  const { url } = await openInFrontOf(({ headers }, response) => {
    response.setHeader('authorization', headers.authorization ?? '')
    response.setHeader('x-amz-security-token', 'not-a-secret-token')
    response.end()
  })
  const { headers } = await fetch(`${url}/V1/a`, { headers: secretHeader })
  expect(headers.has('authorization')).toBe(false)
  expect(headers.has('x-amz-security-token')).toBe(false)
})

test('a head of thousands of lines is refused before it costs anything', async () => {
  const { emulator, port } = await openEmulated()
  const response = await sendRaw(port, request(port, 'GET /V1/a', 'a:\r\n'.repeat(300)))
  expect(response).toMatch(/^HTTP\/1\.1 431 /)
  expect(emulator.requests).toEqual([])
})
