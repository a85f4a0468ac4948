import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTokenAuth } from '@svc/auth-token'
import { bun, deno, denoRun, hasBun, hasDeno } from '../../../../tests/support/other-runtimes.ts'
import { run } from '../../../../tests/support/run-program.ts'
import { makeTlsCertificate } from '../../../../tests/support/tls-certificate.ts'
import { primary } from '../support/service.ts'
import { describeNetworkError, isEarlyCode, wasNeverSent } from '../testing.ts'

const servers: Server[] = []
async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  servers.push(server)
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no address')
  return address.port
}

/** Listens to a port on which each request ends so. */
function answeringWith(end: (socket: Socket) => void): Promise<number> {
  return portOf(
    createServer((socket) => {
      socket.on('error', () => {}).on('data', () => end(socket))
    }),
  )
}

const ports = { free: 0, plain: 0, tls: 0, reset: 0, closed: 0, cut: 0, other: 0 }
beforeAll(async () => {
  const nothing = createServer()
  ports.free = await portOf(nothing)
  nothing.close()
  ports.plain = await portOf(createHttpServer((_request, response) => response.end()))
  ports.tls = await portOf(createHttpsServer(await makeTlsCertificate()))
  ports.reset = await answeringWith((socket) => socket.resetAndDestroy())
  ports.closed = await answeringWith((socket) => socket.end())
  ports.other = await answeringWith((socket) => socket.end('hello\r\n\r\n'))
  ports.cut = await answeringWith((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'),
  )
})
afterAll(() => {
  for (const server of servers) server.close()
})

type Case = readonly [what: string, baseUrl: () => string, codes: RegExp]
const closed = /ECONNRESET|UND_ERR_SOCKET|HPE_\w+/
const cases: readonly Case[] = [
  ['nothing listens', () => `http://127.0.0.1:${ports.free}`, /ECONNREFUSED|ConnectionRefused/],
  [
    'nothing listens on any address of a name',
    () => `http://localhost:${ports.free}`,
    /ECONNREFUSED|ConnectionRefused/,
  ],
  [
    'the certificate is not trusted',
    () => `https://127.0.0.1:${ports.tls}`,
    /DEPTH_ZERO_SELF_SIGNED_CERT/,
  ],
  ['the connection is reset', () => `http://127.0.0.1:${ports.reset}`, closed],
  ['the connection is closed', () => `http://127.0.0.1:${ports.closed}`, closed],
  ['the response breaks off', () => `http://127.0.0.1:${ports.cut}`, closed],
  ['http is sent to https', () => `http://127.0.0.1:${ports.tls}`, closed],
]

const expectedMessage = ([, baseUrl, codes]: Case, hasCode: boolean): RegExp => {
  const url = new URL(baseUrl())
  const code = hasCode ? `(?: \\((?:${codes.source})\\))${codes.test('') ? '?' : ''}` : ''
  const text = `[@svc/auth-token] POST ${url.origin}/user/login got no complete response from ${url.host}`
  return new RegExp(`^${text.replace(/[[\].*?]/g, '\\$&')}${code}$`)
}

describe('a login that gets no response says so', () => {
  test.each<Case>([
    ...cases,
    [
      'https is sent to http',
      () => `https://127.0.0.1:${ports.plain}`,
      /ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG/,
    ],
    // Not every Node gives it a code.
    ['the response is not HTTP', () => `http://127.0.0.1:${ports.other}`, /HPE_\w+|/],
    ['nobody knows the host name', () => 'https://nowhere.invalid', /ENOTFOUND|EAI_AGAIN/],
  ])('where %s', async (...one) => {
    const auth = createTokenAuth({ baseUrl: one[1](), credentials: primary, session: 'own' })
    await expect(auth.getToken()).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_NETWORK',
      message: expect.stringMatching(expectedMessage(one, true)),
      cause: expect.any(Error),
    })
  })

  const program = fileURLToPath(new URL('../fixtures/failed-login.ts', import.meta.url))
  const fromSource = '--conditions=@svc/source'
  const runtimes = [
    ['Bun', hasBun(), bun, [fromSource], true],
    ['Deno', hasDeno(), deno, [...denoRun, '--allow-all', fromSource], false],
  ] as const
  for (const [name, isThere, command, args, hasCode] of runtimes) {
    test.skipIf(!isThere)(`in ${name}`, async () => {
      const addresses = cases.map(([, baseUrl]) => baseUrl())
      const { stdout } = await run(command, [...args, program, ...addresses])
      const messages = stdout.trim().split('\n')
      expect(messages).toHaveLength(cases.length)
      for (const [index, one] of cases.entries()) {
        const [code, ...message] = messages[index]?.split(': ') ?? []
        expect(code).toBe('ERR_AUTH_LOGIN_NETWORK')
        expect(message.join(': ')).toMatch(expectedMessage(one, hasCode))
      }
    })
  }
})

describe('a network error', () => {
  const at = new URL('https://search.example.com:8443/user/login')
  const withCode = (code: unknown, syscall?: string) =>
    Object.assign(new Error('failed'), { code, ...(syscall && { syscall }) })

  const circle: { cause?: unknown } = {}
  circle.cause = { cause: circle }
  test.each([
    undefined,
    null,
    'text',
    new TypeError('Failed to fetch'),
    new DOMException('This operation was aborted', 'AbortError'),
    withCode(23),
    withCode('x'.repeat(65)),
    withCode('a secret'),
    circle,
    Object.defineProperty({}, 'cause', {
      get() {
        throw new Error('a getter')
      },
    }),
    {
      get cause() {
        return { ...this }
      },
    },
    { message: Symbol('none'), toString: null },
  ])('of an unknown kind tells no code, and proves nothing: %#', (error) => {
    const words = 'got no complete response from search.example.com:8443'
    expect(describeNetworkError(error, at)).toBe(words)
    expect(wasNeverSent(error, isEarlyCode)).toBe(false)
  })

  test.each<[what: string, error: unknown]>([
    ['that could not resolve', withCode('ENOTFOUND', 'getaddrinfo')],
    ['that was refused', withCode('ECONNREFUSED', 'connect')],
    ['that found no way to the host', withCode('EHOSTUNREACH', 'connect')],
    ['that found no network', withCode('ENETUNREACH', 'connect')],
    ['that could not connect in time', withCode('ETIMEDOUT', 'connect')],
    ['that undici could not connect in time', withCode('UND_ERR_CONNECT_TIMEOUT')],
    ['that met a certificate of another', withCode('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['that met a certificate that is not trusted', withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['that met an old certificate', withCode('CERT_HAS_EXPIRED')],
    ['that met a port without TLS', withCode('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['within that of fetch', new TypeError('fetch failed', { cause: withCode('ENOTFOUND') })],
    [
      'of each address of a name',
      new AggregateError([withCode('ECONNREFUSED', 'connect'), withCode('ENETUNREACH', 'connect')]),
    ],
  ])('%s says that nothing was sent', (_what, error) => {
    expect(wasNeverSent(error, isEarlyCode)).toBe(true)
  })

  test.each<[what: string, error: unknown]>([
    ['while it was read', withCode('ETIMEDOUT', 'read')],
    ['while it was written', withCode('EHOSTUNREACH', 'write')],
    ['of a reset', withCode('ECONNRESET', 'read')],
    ['of undici', withCode('UND_ERR_SOCKET')],
    ['of TLS that reading may give', withCode('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
    ['of a protocol', withCode('EPROTO')],
    [
      'of one address that took the connection',
      new AggregateError([withCode('ECONNREFUSED', 'connect'), withCode('ECONNRESET', 'read')]),
    ],
    [
      'of a reset that followed a refused connection',
      Object.assign(withCode('ECONNRESET', 'read'), { cause: withCode('ECONNREFUSED', 'connect') }),
    ],
    ['without an attempt', new AggregateError([])],
  ])('%s does not', (_what, error) => {
    expect(wasNeverSent(error, isEarlyCode)).toBe(false)
  })
})
