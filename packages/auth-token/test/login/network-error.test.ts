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
import { describeNetworkError } from '../testing.ts'

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

type Case = readonly [
  what: string,
  baseUrl: () => string,
  /** The words, in which HOST stands for the host. */
  words: string,
  codes: RegExp,
]
const closedWords = 'HOST closed the connection before its response was complete'
const cases: readonly Case[] = [
  [
    'nothing listens',
    () => `http://127.0.0.1:${ports.free}`,
    'could not connect to HOST: nothing listens there',
    /ECONNREFUSED/,
  ],
  [
    'nothing listens on any address of a name',
    () => `http://localhost:${ports.free}`,
    'could not connect to HOST: nothing listens there',
    /ECONNREFUSED/,
  ],
  [
    'the certificate is not trusted',
    () => `https://127.0.0.1:${ports.tls}`,
    'the TLS certificate of HOST was not accepted',
    /DEPTH_ZERO_SELF_SIGNED_CERT/,
  ],
  [
    'the connection is reset',
    () => `http://127.0.0.1:${ports.reset}`,
    closedWords,
    /ECONNRESET|UND_ERR_SOCKET/,
  ],
  [
    'the connection is closed',
    () => `http://127.0.0.1:${ports.closed}`,
    closedWords,
    /ECONNRESET|UND_ERR_SOCKET/,
  ],
  [
    'the response breaks off',
    () => `http://127.0.0.1:${ports.cut}`,
    closedWords,
    /ECONNRESET|UND_ERR_SOCKET/,
  ],
  [
    'http is sent to https',
    () => `http://127.0.0.1:${ports.tls}`,
    closedWords,
    /ECONNRESET|UND_ERR_SOCKET/,
  ],
]

const expectedMessage = ([, baseUrl, words, codes]: Case, hasCode: boolean): RegExp => {
  const url = new URL(baseUrl())
  const code = hasCode ? ` \\((?:${codes.source})\\)` : ''
  const text = `[@svc/auth-token] POST ${url.origin}/user/login failed: ${words.replace('HOST', url.host)}`
  return new RegExp(`^${text.replace(/[[\].*?]/g, '\\$&')}${code}; (?:check|try|have)`)
}

describe('a login that gets no response says so', () => {
  test.each(cases)('where %s', async (...one) => {
    const auth = createTokenAuth({ baseUrl: one[1](), credentials: primary, session: 'own' })
    await expect(auth.getToken()).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_NETWORK',
      message: expect.stringMatching(expectedMessage(one, true)),
      cause: expect.any(Error),
    })
  })

  test.each<[what: string, baseUrl: () => string, words: RegExp]>([
    [
      'https is sent to http',
      () => `https://127.0.0.1:${ports.plain}`,
      /127\.0\.0\.1:\d+ does not speak TLS \(ERR_SSL_\w+\); check scheme and port of baseUrl/,
    ],
    [
      'the response is not HTTP',
      () => `http://127.0.0.1:${ports.other}`,
      /the response of 127\.0\.0\.1:\d+ is not HTTP(?: \(HPE_\w+\))?; check/,
    ],
    [
      'nobody knows the host name',
      () => 'https://nowhere.invalid',
      /the host name nowhere\.invalid (?:is not known|could not be looked up) \((?:ENOTFOUND|EAI_AGAIN)\)/,
    ],
  ])('where %s', async (_what, baseUrl, words) => {
    const auth = createTokenAuth({ baseUrl: baseUrl(), credentials: primary, session: 'own' })
    await expect(auth.getToken()).rejects.toThrow(words)
  })

  const program = fileURLToPath(new URL('../fixtures/failed-login.ts', import.meta.url))
  const fromSource = '--conditions=@svc/source'
  const runtimes = [
    ['Bun', hasBun(), bun, [fromSource], true],
    ['Deno', hasDeno(), deno, [...denoRun, '--allow-all', fromSource], false],
  ] as const
  for (const [name, isThere, command, args, hasCode] of runtimes) {
    test.skipIf(!isThere)(`in ${name}`, { timeout: 60_000 }, async () => {
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
  const withCode = (code: unknown, message = 'failed') =>
    Object.assign(new Error(message), { code })
  const host = 'search.example.com:8443'

  test.each<[error: unknown, words: string]>([
    [withCode('ECONNREFUSED'), `failed: could not connect to ${host}: nothing listens there (EC`],
    [
      withCode('CERT_HAS_EXPIRED'),
      `failed: the TLS certificate of ${host} was not accepted (CERT_`,
    ],
    [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), `failed: the TLS certificate of ${host} was not`],
    [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), `failed: the TLS certificate of ${host} was not`],
    [withCode('ERR_SSL_WRONG_VERSION_NUMBER'), `failed: ${host} does not speak TLS (ERR_SSL_W`],
    [
      withCode('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'),
      `failed: there is no TLS with ${host} (`,
    ],
    [withCode('EPROTO'), `failed: there is no TLS with ${host} (EPROTO)`],
    [withCode('EHOSTUNREACH'), `failed: ${host} cannot be reached (EHOSTUNREACH)`],
    [withCode('UND_ERR_CONNECT_TIMEOUT'), `failed: ${host} did not respond in time (UND_ERR_C`],
    [withCode('ETIMEDOUT'), `failed: ${host} did not respond in time (ETIMEDOUT)`],
    [withCode('ENOTFOUND'), 'failed: the host name search.example.com is not known (ENOTFOUND)'],
    [withCode('EAI_AGAIN'), 'failed: the host name search.example.com could not be looked up (EAI'],
    [withCode('HPE_INVALID_CONSTANT'), `failed: the response of ${host} is not HTTP (HPE_`],
    [
      new Error('tcp connect error: Connection refused (os error 111)'),
      `failed: could not connect`,
    ],
    [
      new TypeError('fetch failed', { cause: withCode('EPIPE') }),
      `failed: ${host} closed the conn`,
    ],
    [{ cause: { errors: [{ code: 'ECONNREFUSED' }] } }, `failed: could not connect to ${host}`],
    [new AggregateError([withCode('ENETUNREACH')]), `failed: ${host} cannot be reached (ENETUNR`],
    [
      new AggregateError([withCode('ENETUNREACH'), withCode('ECONNREFUSED')]),
      'failed: could not c',
    ],
  ])('%s is told: %s', (error, words) => {
    expect(describeNetworkError(error, at).slice(0, words.length)).toBe(words)
  })

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
  ])('of an unknown kind is no more than that: %#', (error) => {
    expect(describeNetworkError(error, at)).toBe('returned no complete response')
  })
})
