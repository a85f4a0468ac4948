import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { createDigestAuth } from '@svc/auth-digest'
import { AuthError, type AuthErrorCode, authFetch } from '@svc/auth-hooks'
import { presign } from '@svc/auth-sigv4/presign'
import { streaming } from '@svc/auth-sigv4/streaming'
import { createSessionAuth } from '@svc/auth-token'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ReceivedRequest, responseText, serveRaw } from './raw-server.ts'
import { apiKeyAuth, sigV4Auth, tokenAuth } from './schemes.ts'
import { expectNoSecret, formsOf, makeJwt, secrets } from './secrets.ts'

const jwt = makeJwt('errors')
const login = JSON.stringify({ Token: jwt })
/** All that a request holds of secrets: what an echo of it would show. */
const everything = `${Object.values(secrets).join(' ')} ${jwt}`
/** A URL whose query is nobody's business. */
const path = `/user/groups?key=${encodeURIComponent(secrets.apiKeyHeader)}`

type Respond = (socket: Socket, request: ReceivedRequest) => void
type Provoke = (origin: string) => Promise<unknown>

const write =
  (...parameters: Parameters<typeof responseText>): Respond =>
  (socket) =>
    socket.write(responseText(...parameters))
const toLogin =
  (respond: Respond): Respond =>
  (socket, request) =>
    request.path === '/user/login' ? respond(socket, request) : write(200)(socket, request)
const get: Provoke = (origin) => authFetch(tokenAuth(origin))(origin + path)
const getToken: Provoke = (origin) => tokenAuth(origin).getToken()
/** A `fetch` of a user's that tries twice, and tells of both failures. */
const fetchTwice: typeof fetch = async (...parameters) => {
  const errors: unknown[] = []
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    try {
      return await fetch(...parameters)
    } catch (error) {
      errors.push(error)
    }
  }
  throw new AggregateError(errors, 'failed twice')
}

/**
 * Ways to each code. `ERR_AUTH_CRYPTO` needs a page that is no secure context: tests/runtimes has one; those of refresh
 * tokens are in auth-token/test/oauth2, and those of sign-ins in auth-token/test/sign-in.
 */
const provoked: Readonly<
  Record<
    Exclude<
      AuthErrorCode,
      'ERR_AUTH_CRYPTO' | 'ERR_AUTH_REFRESH_LOST' | 'ERR_AUTH_STORE' | `ERR_AUTH_SIGN_IN_${string}`
    >,
    readonly (readonly [Respond, Provoke])[]
  >
> = {
  ERR_AUTH_ORIGIN: [
    [write(200), () => authFetch(tokenAuth('https://h'))(`https://elsewhere.example${path}`)],
    [write(200), () => presign(sigV4Auth('https://h'), `https://elsewhere.example${path}`)],
    [write(200), () => authFetch(apiKeyAuth('https://h'))(`https://elsewhere.example${path}`)],
  ],
  ERR_AUTH_URL: [
    [write(200), () => authFetch(tokenAuth('https://h'))(`https://u:${secrets.apiKeyHeader}@h/`)],
    [write(200), () => authFetch(tokenAuth('https://h'))(`not a url ${secrets.apiKeyHeader}`)],
    [
      toLogin(write(200, {}, login)),
      (origin) => authFetch(tokenAuth(origin))(`${origin}/a%2f..%2fb${path}`),
    ],
    [write(200), (origin) => authFetch(sigV4Auth(origin))(`${origin}/a%2f..%2fb${path}`)],
    [
      write(200),
      (origin) =>
        authFetch(sigV4Auth(origin))(`${origin}${path}&X-Amz-Signature=${secrets.sessionToken}`),
    ],
  ],
  ERR_AUTH_HEADER: [
    ...['\n', '\u0001', '\u007f', '\u0101'].map((bad): [Respond, Provoke] => [
      write(200),
      (origin) =>
        authFetch(tokenAuth(origin))(origin, {
          headers: { 'x-own': `${secrets.apiKeyHeader}${bad}${secrets.apiKeyHeader}` },
        }),
    ]),
    ...[
      `x-own: ${secrets.apiKeyHeader}`,
      [[`x-own: ${secrets.apiKeyHeader}`, '']],
      [[secrets.apiKeyHeader]],
      [`x-own: ${secrets.apiKeyHeader}`],
      { 'x-own': Symbol(secrets.apiKeyHeader) },
      {
        'x-own': {
          toString() {
            throw new Error(secrets.apiKeyHeader)
          },
        },
      },
    ].map((headers): [Respond, Provoke] => [
      write(200),
      (origin) => authFetch(tokenAuth(origin))(origin, { headers: headers as never }),
    ]),
    [
      write(200),
      (origin) => authFetch(sigV4Auth(origin))(origin, { headers: { authorization: everything } }),
    ],
    [
      toLogin(write(200, {}, login)),
      (origin) =>
        authFetch(tokenAuth(origin, { vendorPrefix: 'svc' }))(origin, { mode: 'no-cors' }),
    ],
  ],
  ERR_AUTH_BODY: [
    [
      write(200),
      (origin) =>
        authFetch(sigV4Auth(origin, { payload: 'signed' }))(origin, {
          method: 'PUT',
          body: new Blob([secrets.password]).stream(),
          duplex: 'half',
        } as RequestInit),
    ],
    [
      write(200),
      (origin) =>
        authFetch(sigV4Auth(origin, { payload: streaming() }))(origin, {
          method: 'PUT',
          body: new Blob([secrets.password]).stream(),
          headers: { 'content-length': '3' },
          duplex: 'half',
        } as RequestInit),
    ],
  ],
  ERR_AUTH_CHALLENGE: [
    `Digest realm="${secrets.password}", nonce="${secrets.password}"`,
    'Digest',
  ].map((challenge) => [
    write(401, { 'www-authenticate': challenge }),
    (origin) => {
      const credentials = { username: 'reader', password: secrets.password }
      return authFetch(createDigestAuth({ baseUrl: origin, credentials }))(origin)
    },
  ]),
  ERR_AUTH_REDIRECT: [
    [
      (socket, request) =>
        request.path === '/user/login'
          ? write(200, {}, login)(socket, request)
          : write(302, { location: `https://elsewhere.example/${encodeURIComponent(jwt)}` })(
              socket,
              request,
            ),
      get,
    ],
    [write(302, { location: path }), (origin) => authFetch(sigV4Auth(origin))(origin + path)],
    [
      write(302, { location: `https://u:${secrets.apiKeyHeader}@h/` }),
      (origin) => authFetch(apiKeyAuth(origin))(origin),
    ],
  ],
  ERR_AUTH_REQUEST: [
    [
      (socket, request) =>
        write(302, { location: `/V1/${encodeURIComponent(jwt)}` })(socket, request),
      (origin) => authFetch(apiKeyAuth(origin))(new Request(origin + path)),
    ],
  ],
  ERR_AUTH_SCHEME: [
    [
      write(200),
      (origin) =>
        authFetch({
          ...apiKeyAuth(origin),
          authorize: () => ({ scheme: 'api-key', headers: everything as never }),
        })(origin + path),
    ],
    [
      write(200),
      (origin) =>
        authFetch({ ...apiKeyAuth(origin), covers: () => everything as never })(origin + path),
    ],
  ],
  ERR_AUTH_CREDENTIALS: [
    [
      write(200),
      (origin) =>
        tokenAuth(origin, {
          credentials: () => ({ username: secrets.password, password: '' }),
        }).getToken(),
    ],
    [
      write(200),
      (origin) =>
        authFetch(
          sigV4Auth(origin, {
            credentials: () => ({ accessKeyId: '', secretAccessKey: secrets.secretAccessKey }),
          }),
        )(origin),
    ],
  ],
  ERR_AUTH_LOGIN_REFUSED: [
    [toLogin(write(401, { 'x-echo': 'no' }, everything)), get],
    [toLogin(write(500, {}, everything)), getToken],
    [toLogin(write(429, { 'retry-after': secrets.apiKeyHeader }, everything)), getToken],
  ],
  ERR_AUTH_LOGIN_REDIRECT: [[toLogin(write(307, { location: path })), get]],
  ERR_AUTH_LOGIN_NOT_JSON: [
    [toLogin(write(200, {}, everything)), get],
    [toLogin(write(200, {}, `{"Token":"${jwt}`)), getToken],
  ],
  ERR_AUTH_LOGIN_NO_TOKEN: [
    [toLogin(write(200, {}, JSON.stringify({ token: jwt }))), get],
    [toLogin(write(200, {}, JSON.stringify([jwt]))), getToken],
  ],
  ERR_AUTH_LOGIN_BAD_TOKEN: [
    [toLogin(write(200, {}, JSON.stringify({ Token: `${jwt}\r\nx: y` }))), get],
    [toLogin(write(200, {}, JSON.stringify({ Token: [jwt] }))), getToken],
  ],
  ERR_AUTH_LOGIN_TOO_LARGE: [[toLogin(write(200, {}, jwt.repeat(2 ** 14))), get]],
  ERR_AUTH_LOGIN_TIMEOUT: [
    [toLogin(() => {}), (origin) => tokenAuth(origin, { loginTimeoutMs: 20 }).getToken()],
    [
      toLogin((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{"Token":"${jwt}`),
      ),
      (origin) => authFetch(tokenAuth(origin, { loginTimeoutMs: 20 }))(origin + path),
    ],
  ],
  ERR_AUTH_LOGIN_FAILED: [
    [
      write(200),
      (origin) =>
        createSessionAuth({
          baseUrl: origin,
          credentials: { password: secrets.password },
          login() {
            throw Object.assign(new Error('failed'), { transient: true })
          },
        }).getToken(),
    ],
  ],
  ERR_AUTH_LOGIN_NETWORK: [
    [toLogin((socket) => socket.destroy()), get],
    [
      toLogin((socket) =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{"Token":"${jwt}`),
      ),
      get,
    ],
    [
      toLogin((socket) => socket.end(`HTTP/1.1 200 OK\r\na b: c\r\n\r\n{"Token":"${jwt}"}`)),
      getToken,
    ],
    [toLogin((socket) => socket.end(`${jwt}\r\n\r\n`)), getToken],
    [toLogin((socket) => socket.end(`HTTP/1.1 200 OK\r\n${jwt}\r\n\r\n`)), getToken],
    [
      toLogin((socket) => socket.end(`${jwt}\r\n\r\n`)),
      (origin) => tokenAuth(origin, { fetch: fetchTwice }).getToken(),
    ],
    [write(200), () => tokenAuth('http://127.0.0.1:1').getToken()],
  ],
}

const cases = Object.entries(provoked).flatMap(([code, ways]) =>
  ways.map((way, index): [string, number, Respond, Provoke] => [code, index + 1, ...way]),
)

describe('no secret shows in', () => {
  test.each(cases)(
    '%s (%i), its causes, and the events before it',
    async (code, _, respond, provoke) => {
      const server = await serveRaw(respond)
      const published: unknown[] = []
      const listener = (event: unknown): void => void published.push(event)
      subscribe('svc-auth', listener)
      onTestFinished(() => void unsubscribe('svc-auth', listener))
      const error: unknown = await provoke(server.origin).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code })
      expect(AuthError.is(error)).toBe(true)
      expectNoSecret([error, published], [jwt])
      // Said again where the first refusal is only remembered.
      expectNoSecret(await provoke(server.origin).catch((thrown: unknown) => thrown), [jwt])
    },
  )
})

test('a response that is no JSON is not quoted, not even its beginning, as the parser would', async () => {
  const server = await serveRaw(write(200, {}, 'a-token'))
  const error: unknown = await tokenAuth(server.origin)
    .getToken()
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_NOT_JSON' })
  expectNoSecret(error, ['a-token'])
})

describe('what carries a secret by necessity is', () => {
  test('the cause of ERR_AUTH_CREDENTIALS, which is the error of the provider itself', async () => {
    const own = new Error(`vault said ${secrets.passphrase}`)
    const credentials = (): never => {
      throw own
    }
    for (const failing of [
      tokenAuth('https://h', { credentials }).getToken(),
      presign(sigV4Auth('https://h', { credentials }), 'https://h/'),
    ]) {
      const error: unknown = await failing.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'ERR_AUTH_CREDENTIALS', cause: own })
      expect(formsOf().some((form) => (error as Error).message.includes(form))).toBe(false)
    }
  })

  test('the cause of ERR_AUTH_LOGIN_NETWORK, where the fetch that was given throws what it sent', async () => {
    const fetch = async (_input: unknown, init?: RequestInit): Promise<Response> => {
      throw Object.assign(new Error('failed'), { init })
    }
    const error: unknown = await tokenAuth('https://h', { fetch })
      .getToken()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK', cause: { message: 'failed' } })
    expect((error as Error).message).not.toContain('hidden')
  })
})
