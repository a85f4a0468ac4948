import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { runInNewContext } from 'node:vm'
import { AuthError, type AuthEvent } from '@svc/auth-hooks'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  authFetch,
  createSessionAuth,
  forgetSessions,
  type LoginContext,
  type LoginResult,
  type SessionAuthOptions,
} from '@svc/auth-token'
import { listenOnLoopback } from '../../../tests/support/loopback.ts'
import { isNightly } from '../../../tests/support/nightly.ts'

interface ApiKey {
  readonly key: string
}
type Options = Partial<SessionAuthOptions<ApiKey>>
type Respond = (request: IncomingMessage, response: ServerResponse) => void

const credentials: ApiKey = { key: 'k3y-of-the-tests' }

/** The error of a client that tried an address after the other, each of which failed at a step. */
function failing(...steps: readonly string[]): Error {
  const attempts = steps.map((syscall) => Object.assign(new Error(syscall), { syscall }))
  const cause = new AggregateError(attempts)
  return Object.assign(new Error('no response', { cause }), { code: 'ECONNREFUSED' })
}

/** A service of somebody's, with an odd way to get tokens. */
async function api(respond?: Respond) {
  const seen: { method: string; path: string; authorization: string; body: string }[] = []
  const accepted = new Set<string>()
  let issued = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += String(piece)
    const { method = '', url: path = '' } = request
    const authorization = request.headers.authorization ?? ''
    seen.push({ method, path, authorization, body })
    if (path.startsWith('/tokens') && respond) return respond(request, response)
    if (path.startsWith('/tokens')) {
      issued += 1
      accepted.clear()
      accepted.add(`Bearer token-${issued}`)
      response.end(JSON.stringify({ key: `token-${issued}`, seconds: 600 }))
      return
    }
    response.statusCode = accepted.has(authorization) ? 200 : 401
    response.end(authorization)
  })
  const { url, close } = await listenOnLoopback(server)
  onTestFinished(async () => {
    await close()
    forgetSessions()
  })
  const baseUrl = url.origin
  const time = { now: 1_800_000_000_000 }
  const events: AuthEvent[] = []
  const login = async ({ credentials: own, fetch }: LoginContext<ApiKey>): Promise<LoginResult> => {
    const response = await fetch(`${baseUrl}/tokens`, { method: 'POST', body: own.key })
    if (!response.ok) throw new Error('no token')
    // As it was written above.
    const { key, seconds } = (await response.json()) as { key: string; seconds: number }
    return { token: key, expiresInMs: seconds * 1000 }
  }
  const options = { baseUrl, credentials, login, clock: () => time.now, random: () => 0 }
  const session = (own: Options = {}) =>
    createSessionAuth<ApiKey>({ ...options, onEvent: (event) => events.push(event), ...own })
  const logins = () => seen.filter(({ path }) => path.startsWith('/tokens')).length
  return { baseUrl, time, events, seen, session, login, logins, revoke: () => accepted.clear() }
}

describe('a session with any service', () => {
  test('logs in once for any number of callers, and sends the token as Bearer', async () => {
    const { session, baseUrl, seen, logins } = await api()
    const send = authFetch(session(), { baseUrl })
    const responses = await Promise.all(Array.from({ length: 200 }, () => send('/things')))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(logins()).toBe(1)
    expect(seen[0]).toMatchObject({ method: 'POST', body: credentials.key, authorization: '' })
    expect(await responses[0]?.text()).toBe('Bearer token-1')
  })

  test('replays a request whose token was refused', async () => {
    const { session, baseUrl, logins, revoke } = await api()
    const send = authFetch(session(), { baseUrl })
    await send('/things')
    revoke()
    expect((await send('/things', { method: 'POST', body: 'x' })).status).toBe(200)
    expect(logins()).toBe(2)
  })

  test('sends the headers that it is told to, and takes them nowhere else', async () => {
    const { session, baseUrl, seen } = await api()
    const auth = session({ headers: (token) => ({ 'X-Key': token, 'x-version': '2' }) })
    await authFetch(auth, { baseUrl })('/things')
    expect(seen.at(-1)?.authorization).toBe('')
    expect(auth.sensitiveHeaders).toEqual(['X-Key', 'x-version'])
    expect(auth.covers(new URL('https://elsewhere.example/things'))).toBe(false)
  })

  test('may make its headers from the request, later, and from the response before', async () => {
    const { session, seen, baseUrl } = await api()
    const facts: unknown[] = []
    const auth = session({
      async headers(token, { method, url, previous }) {
        await Promise.resolve()
        if (token !== 'token') facts.push([method, url, previous?.status])
        return { authorization: `Bearer ${token}`, 'x-signed': `${method} ${url}` }
      },
    })
    const response = await authFetch(auth)(`${baseUrl}/things?a=1`, { method: 'PUT', body: 'x' })
    expect(response.status).toBe(200)
    expect(facts).toEqual([['PUT', `${baseUrl}/things?a=1`, undefined]])
    expect(seen.at(-1)).toMatchObject({ method: 'PUT', authorization: 'Bearer token-1' })
  })

  test('tells its headers of the response to the attempt before', async () => {
    const { session } = await api()
    const auth = session({
      headers: (token, { previous }) => ({
        authorization: `Bearer ${token}`,
        'x-nonce': previous?.headers.get('dpop-nonce') ?? 'none',
      }),
    })
    const head = { status: 401, headers: new Headers({ 'dpop-nonce': 'n-1' }) }
    const request = {
      method: 'GET',
      url: new URL('http://127.0.0.1/things'),
      headers: new Headers(),
      body: undefined,
      attempt: 2,
      reason: 'rejected',
      // As a kernel gives it that knows of it.
      previous: head,
    } as const
    const { headers } = await auth.authorize(request)
    expect(headers).toContainEqual(['x-nonce', 'n-1'])
  })

  test('may read its headers from the token, which is none before the first login', async () => {
    const { session, baseUrl, seen } = await api()
    const headers = (token: string) => {
      const [, number = ''] = /^token-(\d+)$/.exec(token) ?? []
      if (!number) throw new Error('no token of this service')
      return { authorization: `Bearer ${token}`, 'x-number': number }
    }
    const auth = session({ headers })
    expect((await authFetch(auth, { baseUrl })('/things')).status).toBe(200)
    expect(seen.at(-1)?.authorization).toBe('Bearer token-1')
    expect(auth.sensitiveHeaders).toEqual(['authorization'])
  })

  test('tells events under its name', async () => {
    const { session, events, baseUrl } = await api()
    await session({ name: 'billing' }).getToken()
    expect(events).toEqual([
      { type: 'login.start', scheme: 'billing', origin: baseUrl },
      expect.objectContaining({ type: 'login.ok', scheme: 'billing', generation: 1 }),
    ])
  })

  test('is shared by schemes that are made with the same login and credentials', async () => {
    const { session, logins, login } = await api()
    await Promise.all(Array.from({ length: 20 }, () => session().getToken()))
    expect(logins()).toBe(1)
    await session({ credentials: { key: 'another' } }).getToken()
    await session({ name: 'other' }).getToken()
    expect(logins()).toBe(3)
    const inline = () => session({ login: (context) => login(context) }).getToken()
    await inline()
    await inline()
    expect(logins()).toBe(5)
  })

  test('is shared by way of a store, with what the next login needs', async () => {
    const { session, logins, time } = await api()
    const given: unknown[] = []
    const store = memoryTokenStore()
    const login = async ({ previous }: LoginContext<ApiKey>): Promise<LoginResult> => {
      given.push(previous)
      return { token: `t${given.length}`, expiresInMs: 3_600_000, refreshToken: `r${given.length}` }
    }
    const [one, other] = [1, 2].map(() => session({ store, login, session: 'own' }))
    expect(await one?.getToken()).toBe('t1')
    expect(await other?.getToken()).toBe('t1')
    time.now += 3_600_000
    expect(await other?.getToken()).toBe('t2')
    expect(await one?.getToken()).toBe('t2')
    expect(given).toEqual([undefined, { refreshToken: 'r1' }])
    expect(logins()).toBe(0)
  })
})

test('a login that never settles leaves the store to others', async () => {
  const { session, logins } = await api()
  const store = memoryTokenStore()
  const never = (): Promise<LoginResult> => new Promise(() => {})
  const stuck = session({ store, login: never, session: 'own', loginTimeoutMs: 100 })
  await expect(stuck.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
  expect(await session({ store, session: 'own' }).getToken()).toBe('token-1')
  expect(logins()).toBe(1)
})

test('a refresh token in a store outlives its token', async () => {
  const { session, time } = await api()
  const given: unknown[] = []
  const store = memoryTokenStore(() => time.now)
  const login = ({ previous }: LoginContext<ApiKey>): LoginResult => {
    given.push(previous?.refreshToken)
    return { token: `t${given.length}`, expiresInMs: 3_600_000, refreshToken: `r${given.length}` }
  }
  await session({ store, login, session: 'own' }).getToken()
  time.now += 30 * 86_400_000
  await session({ store, login, session: 'own' }).getToken()
  expect(given).toEqual([undefined, 'r1'])
})

describe('the lifetime of a token', () => {
  const withResult = async (result: Omit<LoginResult, 'token'>, token = 'opaque') => {
    const { session, time } = await api()
    let count = 0
    const login = (): LoginResult => {
      count += 1
      return { token, ...result }
    }
    const auth = session({ login })
    await auth.getToken()
    return { auth, time, logins: () => count }
  }

  test.each([
    ['expiresInMs', { expiresInMs: 90_000 }, 90_000],
    ['expiresAt', { expiresAt: 1_800_000_000_000 + 90_000 }, 90_000],
    ['expiresInMs of 0 is a minute', { expiresInMs: 0 }, 60_000],
    ['expiresInMs of some seconds is taken as it is', { expiresInMs: 20_000 }, 20_000],
    ['expiresAt in the past is a minute', { expiresAt: 1_799_999_000_000 }, 60_000],
    ['a hundred years are ten', { expiresInMs: 100 * 365 * 86_400_000 }, 3650 * 86_400_000],
  ])('is that of %s', async (_what, result, lifetimeMs) => {
    const { auth, time, logins } = await withResult(result)
    expect(auth.inspect().expiresAt).toBe(time.now + lifetimeMs)
    time.now += lifetimeMs
    await auth.getToken()
    expect(logins()).toBe(2)
  })

  test('is that of a JWT where the login tells none', async () => {
    const claims = Buffer.from(JSON.stringify({ iat: 1000, exp: 4600 })).toString('base64url')
    const { auth, time } = await withResult({}, `e30.${claims}.c2ln`)
    expect(auth.inspect().expiresAt).toBe(time.now + 3_600_000)
  })

  test('ends with its refusal where nothing tells it', async () => {
    const { auth, time, logins } = await withResult({})
    time.now += 5 * 365 * 86_400_000
    await auth.getToken()
    expect(logins()).toBe(1)
  })
})

describe('the refresh token of a login', () => {
  test('is given to the next one, and kept until there is another', async () => {
    const { session, time } = await api()
    const given: unknown[] = []
    const login = ({ previous }: LoginContext<ApiKey>): LoginResult => {
      given.push(previous?.refreshToken)
      const refreshToken = given.length === 2 ? undefined : `r${given.length}`
      return { token: 't', expiresInMs: 60_000, refreshToken }
    }
    const auth = session({ login })
    for (let turn = 0; turn < 4; turn += 1) {
      await auth.getToken()
      time.now += 60_000
    }
    expect(given).toEqual([undefined, 'r1', 'r1', 'r3'])
  })
})

describe('a login that fails', () => {
  const failure = (auth: { getToken: () => Promise<string> }) =>
    auth.getToken().then(
      () => undefined,
      (error: unknown) => error,
    )
  const status =
    (code: number, body = '', headers: Record<string, string> = {}): Respond =>
    (_request, response) =>
      response.writeHead(code, headers).end(body)

  test('for its credentials pauses, with the status and the words of the service', async () => {
    const { session, logins, events } = await api(status(400, '{"error":"unknown key"}'))
    const auth = session()
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await failure(auth)).toMatchObject({
        code: 'ERR_AUTH_LOGIN_REFUSED',
        status: 400,
        serverMessage: 'unknown key',
      })
    }
    expect(logins()).toBe(1)
    expect(auth.inspect().state).toBe('paused')
    expect(events.map(({ type }) => type)).toEqual(['login.start', 'login.failed', 'login.paused'])
  })

  test('is the refusal that the service told, where its function just returns no token', async () => {
    const { session, baseUrl } = await api(status(401, '{"message":"unknown key"}'))
    const login = async ({ fetch }: LoginContext<ApiKey>): Promise<LoginResult> => {
      const response = await fetch(`${baseUrl}/tokens`, { method: 'POST' })
      // As those do who forget to look at the status.
      return { token: ((await response.json()) as { key: string }).key }
    }
    expect(await failure(session({ login }))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_REFUSED',
      status: 401,
      serverMessage: 'unknown key',
    })
  })

  test('for another reason passes', async () => {
    const { session, logins, baseUrl } = await api(status(503))
    const auth = session()
    const error = await failure(auth)
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 503 })
    expect(String(error)).toContain(`POST ${baseUrl}/tokens returned status 503`)
    await failure(auth)
    expect(logins()).toBe(2)
  })

  test('never shows its credentials, whatever the service says', async () => {
    const { session } = await api(status(401, JSON.stringify({ message: `no ${credentials.key}` })))
    const error = await failure(session())
    expect(error).toMatchObject({ status: 401 })
    expect((error as AuthError).serverMessage).toBeUndefined()
    expect(String(error)).not.toContain(credentials.key)
  })

  test('never shows the refresh token that it was made with either', async () => {
    const refreshToken = 'r3fr3sh'
    const { session, baseUrl, time } = await api(status(400, `{"error":"no ${refreshToken}"}`))
    const login = async ({ previous, fetch }: LoginContext<ApiKey>): Promise<LoginResult> => {
      if (!previous) return { token: 't', expiresInMs: 60_000, refreshToken }
      await fetch(`${baseUrl}/tokens`, { method: 'POST' })
      throw new Error('refused')
    }
    const auth = session({ login })
    await auth.getToken()
    time.now += 60_000
    const error = await failure(auth)
    expect(error).toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED', status: 400 })
    expect((error as AuthError).serverMessage).toBeUndefined()
  })

  test.each([
    ['throws a string', () => Promise.reject('gone')],
    [
      'throws at once',
      (): LoginResult => {
        throw new Error('gone')
      },
    ],
  ])('since its function %s is told so, with the cause', async (_how, login) => {
    const { session } = await api()
    expect(await failure(session({ login }))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_REFUSED',
      message: expect.stringContaining('the login of session for '),
      cause: expect.anything(),
    })
  })

  test.each<[what: string, error: unknown, most: number, least: number]>([
    ['a password that an SDK sent and that was refused', new Error('wrong password'), 15, 8],
    ['a status of axios', Object.assign(new Error('no'), { response: { status: 401 } }), 15, 8],
    [
      'a failure that passes by its own word',
      Object.assign(new Error(), { transient: true }),
      999,
      60,
    ],
    ['a status that passes', Object.assign(new Error('no'), { status: 503 }), 999, 60],
    ['a connection that was refused at one address alone', failing('connect', 'read'), 15, 8],
    ['a connection that no address took', failing('connect', 'connect'), 999, 60],
  ])('for %s is made again accordingly in an hour', async (_what, error, most, least) => {
    const { session, time } = await api()
    let sent = 0
    const auth = session({
      random: () => 0.999,
      login: () => {
        sent += 1
        return Promise.reject(error)
      },
    })
    const stepSeconds = isNightly ? 1 : 5
    for (let second = 0; second < 3600; second += stepSeconds) {
      await failure(auth)
      time.now += stepSeconds * 1000
    }
    expect(sent).toBeLessThanOrEqual(most)
    expect(sent).toBeGreaterThanOrEqual(least)
  })

  test.each<[what: string, result: unknown, code: string, words: string]>([
    ['a text', 'a token', 'ERR_AUTH_LOGIN_NO_TOKEN', 'an object { token }'],
    ['nothing', undefined, 'ERR_AUTH_LOGIN_NO_TOKEN', 'an object { token }'],
    ['null', null, 'ERR_AUTH_LOGIN_NO_TOKEN', 'an object { token }'],
    ['a response', new Response(), 'ERR_AUTH_LOGIN_NO_TOKEN', 'an object { token }'],
    [
      'no token',
      { token: undefined },
      'ERR_AUTH_LOGIN_NO_TOKEN',
      'returned no token; use the given fetch',
    ],
    ['a header', { token: 'Bearer a' }, 'ERR_AUTH_LOGIN_BAD_TOKEN', 'leave out `Bearer `'],
    ['an empty one', { token: '' }, 'ERR_AUTH_LOGIN_BAD_TOKEN', 'a token that is empty or'],
    ...[1_800_000_060, '2030-01-01', new Date(1_800_000_060_000)].map(
      (expiresAt): [string, unknown, string, string] => [
        `expiresAt as ${typeof expiresAt} ${String(expiresAt)}`,
        { token: 'a', expiresAt },
        'ERR_AUTH_LOGIN_BAD_TOKEN',
        'expiresAt, which is no epoch milliseconds, such as Date.parse(iso)',
      ],
    ),
    ['access_token', { access_token: 'a' }, 'ERR_AUTH_LOGIN_BAD_TOKEN', 'did you mean token?'],
    [
      'expiresIn',
      { token: 'a', expiresIn: 3600 },
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      'did you mean expiresInMs?',
    ],
    [
      'refresh_token',
      { token: 'a', refresh_token: 'b' },
      'ERR_AUTH_LOGIN_BAD_TOKEN',
      'did you mean refreshToken?',
    ],
  ])('since it returned %s says so', async (_what, result, code, words) => {
    const { session } = await api()
    const login = async (): Promise<LoginResult> => result as LoginResult
    expect(await failure(session({ login }))).toMatchObject({
      code,
      message: expect.stringContaining(words),
    })
  })

  test.each<[status: number, hint: string]>([
    [401, ': check credentials'],
    [403, ': check credentials and URL'],
    [404, ': check the URL'],
    [500, ''],
  ])('with status %i names the request and says what to check', async (code, hint) => {
    const { session, baseUrl } = await api(status(code))
    const login = async ({ fetch }: LoginContext<ApiKey>): Promise<LoginResult> =>
      (await fetch(`${baseUrl}/tokens?key=s3cret`, { method: 'POST' })).json()
    const error = await failure(session({ login }))
    const text = `[@svc/auth-token] POST ${baseUrl}/tokens returned status ${code}${hint}`
    expect(String(error)).toContain(text)
    expect(String(error)).not.toContain('s3cret')
  })

  test('whose path has a secret in it does not name that', async () => {
    const { session, baseUrl } = await api(status(404))
    const login = async ({ credentials: own, fetch }: LoginContext<ApiKey>): Promise<LoginResult> =>
      (await fetch(`${baseUrl}/bots/${encodeURIComponent(own.key)}/login`)).json()
    const error = await failure(session({ login, credentials: { key: 'a key of a bot' } }))
    expect(String(error)).toContain('the login of session for ')
    expect(String(error)).not.toContain('bots')
  })

  test.each<[what: string, error: unknown, told: RegExp]>([
    [
      'an error of the platform',
      Object.assign(new TypeError('s3cret is no URL'), { code: 'ERR_INVALID_URL' }),
      /failed: it threw TypeError ERR_INVALID_URL;/,
    ],
    ['an error', new Error('s3cret'), /failed: it threw Error;/],
    ['an error of many words', Object.assign(new Error(), { name: 's3cret said' }), /failed;/],
    ['a text', 's3cret', /failed;/],
  ])('by %s names what was thrown, and no more', async (_what, error, told) => {
    const { session } = await api()
    const failed = await failure(session({ login: () => Promise.reject(error) }))
    expect(String(failed)).toMatch(told)
    expect(String(failed)).not.toContain('s3cret')
  })

  test('for a page of HTML says so', async () => {
    const { session, baseUrl } = await api(
      (_request, response) =>
        void response.setHeader('content-type', 'text/html').end('<html></html>'),
    )
    const login = async ({ fetch }: LoginContext<ApiKey>): Promise<LoginResult> =>
      (await fetch(`${baseUrl}/tokens`, { method: 'POST' })).json() as Promise<LoginResult>
    expect(await failure(session({ login }))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_NOT_JSON',
      message: expect.stringContaining('status 200, which is a page of HTML'),
    })
  })

  test('is not kept from its end by a waitUntil that rejects later', async () => {
    const { session } = await api()
    const unhandled: unknown[] = []
    const collect = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', collect)
    // As an asynchronous function is taken for one that returns nothing.
    const waitUntil = (async () => Promise.reject(new Error('no context'))) as () => void
    await session({ waitUntil }).getToken()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', collect)
    expect(unhandled).toEqual([])
  })

  test('with an AuthError of its own fails with that', async () => {
    const { session } = await api()
    const own = new AuthError('ERR_AUTH_CREDENTIALS', 'the key is used up')
    expect(await failure(session({ login: () => Promise.reject(own) }))).toBe(own)
  })

  test('since its function never settles is over in time', async () => {
    const { session } = await api()
    const never = (): Promise<LoginResult> => new Promise(() => {})
    const auth = session({ login: never, loginTimeoutMs: 50 })
    expect(await failure(auth)).toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
  })

  test.each<[string, unknown]>([
    ['ERR_AUTH_LOGIN_NO_TOKEN', undefined],
    ['ERR_AUTH_LOGIN_NO_TOKEN', 'token'],
    ['ERR_AUTH_LOGIN_NO_TOKEN', {}],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 5 }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: '' }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 'a\r\nb: c' }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 't', expiresInMs: Number.NaN }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 't', expiresInMs: -1 }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 't', expiresInMs: '600' }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 't', expiresAt: new Date() }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 't', expiresAt: Infinity }],
    ['ERR_AUTH_LOGIN_BAD_TOKEN', { token: 't', refreshToken: '' }],
  ])('with %s, since it returned %j', async (code, result) => {
    const { session } = await api()
    // Plain JavaScript may return it.
    const login = () => result as LoginResult
    expect(await failure(session({ login }))).toMatchObject({ code })
  })

  test('in a redirect is not followed', async () => {
    const { session, logins } = await api(
      status(302, '', { location: 'https://elsewhere.example/' }),
    )
    expect(await failure(session())).toMatchObject({
      code: 'ERR_AUTH_LOGIN_REDIRECT',
      message: expect.stringContaining('to https://elsewhere.example; not followed'),
    })
    expect(logins()).toBe(1)
  })

  test('in a response without end is cut off', async () => {
    const { session } = await api((_request, response) => {
      response.on('error', () => {})
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', write)
      write()
    })
    expect(await failure(session())).toMatchObject({ code: 'ERR_AUTH_LOGIN_TOO_LARGE' })
  })

  test('over plain http beyond loopback is not sent', async () => {
    const { session } = await api()
    const login = async ({ fetch }: LoginContext<ApiKey>): Promise<LoginResult> => {
      await fetch('http://api.example/tokens', { method: 'POST' })
      return { token: 't' }
    }
    const fetch = (): never => {
      throw new Error('it was sent')
    }
    expect(await failure(session({ login, fetch }))).toMatchObject({
      code: 'ERR_AUTH_URL',
      message: expect.stringContaining('http://api.example is not https'),
    })
  })
})

describe('credentials', () => {
  class Own {
    readonly key = 'x'
  }
  const circle: Record<string, unknown> = {}
  circle['self'] = { circle }
  const wrong: [string, object][] = [
    ['credentials must be plain data', { a: new Map() }],
    ['credentials must be plain data', { a: { b: new Date(0) } }],
    ['credentials must be plain data', { a: ['x', () => 'x'] }],
    ['credentials must be plain data', { a: [undefined] }],
    ['credentials must be plain data', { a: Number.NaN }],
    ['credentials must be plain data', { a: 1n }],
    ['credentials must be plain data', { a: new Uint8Array(2) }],
    ['credentials must be plain data', { a: { toJSON: () => 'x' } }],
    ['credentials must be plain data', new Own()],
    ['credentials must be plain data', circle],
    ['credentials must be an object', Promise.resolve({})],
    ['credentials must be an object', 'key' as unknown as object],
  ]
  test.each(wrong)('are named where they have no key: %s', async (message, given) => {
    const make = () =>
      createSessionAuth({
        baseUrl: 'https://api.example',
        credentials: given,
        login: () => ({ token: 't' }),
      })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`[@svc/auth-token] createSessionAuth: ${message}`)
  })

  test('may be of another realm', async () => {
    const { session, logins } = await api()
    const given = runInNewContext(`({ key: 'k', more: [{ a: 1 }] })`) as ApiKey
    await session({ credentials: given }).getToken()
    await session({ credentials: { key: 'k', more: [{ a: 1 }] } as ApiKey }).getToken()
    expect(logins()).toBe(1)
  })

  test('of a function are named in the error of the login', async () => {
    const { session } = await api()
    const auth = session({ credentials: async () => ({ key: new Map() }) as unknown as ApiKey })
    await expect(auth.getToken()).rejects.toMatchObject({
      code: 'ERR_AUTH_CREDENTIALS',
      message: expect.stringContaining('was not sent: credentials must be plain data'),
    })
  })

  test('are the same in whatever order they are written, and are read once', async () => {
    const { session, login, logins } = await api()
    const first = { key: 'k', more: { a: [1, null], b: true, none: undefined } }
    await session({ credentials: first, login }).getToken()
    await session({
      credentials: { more: { b: true, a: [1, null] }, key: 'k' } as ApiKey,
    }).getToken()
    expect(logins()).toBe(1)
    await session({
      credentials: { key: 'k', more: { a: ['1', null], b: true } } as ApiKey,
    }).getToken()
    expect(logins()).toBe(2)
    const changing = { key: 'before' }
    const auth = session({ credentials: changing })
    changing.key = 'after'
    await auth.getToken()
    await session({ credentials: { key: 'before' } }).getToken()
    expect(logins()).toBe(3)
  })

  test('that are no plain data have the key that keyOf gives', async () => {
    let logins = 0
    const keyed = (id: string) =>
      createSessionAuth({
        baseUrl: 'https://api.example',
        credentials: { id, key: new Map() },
        keyOf: (given) => given.id,
        login: loginWithKey,
      }).getToken()
    const loginWithKey = ({ credentials: { id } }: LoginContext<{ id: string }>): LoginResult => {
      logins += 1
      return { token: id }
    }
    onTestFinished(forgetSessions)
    expect(await Promise.all([keyed('a'), keyed('a'), keyed('b')])).toEqual(['a', 'a', 'b'])
    expect(logins).toBe(2)
  })
})

test.each<[string, Record<string, unknown>]>([
  ['login must be a function', { login: 'x' }],
  ['; spread: ...refreshToken()', { login: { login: () => ({ token: 't' }) } }],
  ['credentials.pass must not be undefined', { credentials: { pass: undefined } }],
  ['headers must be a function', { headers: { authorization: 'x' } }],
  ['headers must return an object', { headers: () => 'x' }],
  ['keyOf must be a function', { keyOf: 'key' }],
  ['name must be a word', { name: 'a b' }],
  ['baseUrl must be https', { baseUrl: 'http://api.example' }],
  ['did you mean login', { logIn: () => ({ token: 't' }) }],
  ['loginTimeoutMs must be', { loginTimeoutMs: 0 }],
])('%s, or the options are a TypeError', (message, wrong) => {
  const right = { baseUrl: 'https://api.example', credentials, login: () => ({ token: 't' }) }
  const make = () => createSessionAuth({ ...right, ...wrong })
  expect(make).toThrow(TypeError)
  expect(make).toThrow(`[@svc/auth-token] createSessionAuth: `)
  expect(make).toThrow(message)
})

describe('credentials that the caller changes after the session was made', () => {
  const login = async (context: { credentials: { tenant: string } }) => ({
    token: `token-of-${context.credentials.tenant}`,
  })
  const make = (given: { tenant: string; handle?: object }) =>
    createSessionAuth({
      baseUrl: 'https://api.example.com',
      credentials: given,
      keyOf: ({ tenant }) => tenant,
      login,
    })

  test('are those of before, where they are plain data', async () => {
    const shared = { tenant: 'a' }
    const auth = make(shared)
    shared.tenant = 'b'
    expect(await auth.getToken()).toBe('token-of-a')
    expect(await make({ tenant: 'a' }).getToken()).toBe('token-of-a')
    expect(await make({ tenant: 'b' }).getToken()).toBe('token-of-b')
  })

  test('are an error where they cannot be copied, and nobody else gets their token', async () => {
    const shared = { tenant: 'c', handle: new Map() }
    const auth = make(shared)
    shared.tenant = 'd'
    await expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_CREDENTIALS' })
    expect(await make({ tenant: 'c', handle: new Map() }).getToken()).toBe('token-of-c')
  })
})
