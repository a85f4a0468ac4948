import { AuthError } from '@svc/auth-hooks'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { refreshToken } from '@svc/auth-token/oauth2'
import type { TokenStore } from '@svc/auth-token/sharing'
import { afterEach, describe, expect, test } from 'vitest'
import { authFetch, createSessionAuth, forgetSessions } from '@svc/auth-token'
import { freePort } from '../../../../tests/support/redis-server.ts'
import { until } from '../support/service.ts'
import { manualTime } from '../support/time.ts'
import { authorizationServer, reports, respond } from './support/authorization-server.ts'
import { away, durableStore, failure, lost, noStore, signedIn } from './support/signed-in.ts'

afterEach(forgetSessions)

describe('a rotating refresh token', () => {
  test('is spent once for 50 callers, renewal after renewal, by one session or several', async () => {
    const { session, spent, expire, baseUrl } = await signedIn()
    const sessions = [session(), session(), session(), session()]
    for (let turn = 1; turn <= 3; turn += 1) {
      const responses = await Promise.all(
        Array.from({ length: 50 }, (_, n) => authFetch(sessions[n % 4] ?? session())(baseUrl)),
      )
      expect(responses.every(({ status }) => status === 200)).toBe(true)
      expect(spent()).toEqual(Array.from({ length: turn }, () => 1))
      expire()
    }
  })

  test('gives a token of the scope that is asked for', async () => {
    const { session, baseUrl } = await signedIn()
    const response = await authFetch(session({ scope: 'read' }))(baseUrl)
    expect(await response.json()).toMatchObject({
      accountId: 'reader',
      scope: 'read',
      aud: reports,
    })
  })

  test('is used where a token was revoked, and the request is replayed', async () => {
    const { session, spent, baseUrl, end } = await signedIn()
    const auth = session()
    await end(await auth.getToken())
    expect((await authFetch(auth)(baseUrl, { method: 'POST', body: 'x' })).status).toBe(200)
    expect(spent()).toEqual([1, 1])
  })

  test('outlives invalidate()', async () => {
    const { session, spent } = await signedIn()
    const auth = session()
    await auth.getToken()
    await auth.invalidate()
    await auth.getToken()
    await auth.invalidate()
    await session().getToken()
    expect(spent()).toEqual([1, 1])
  })

  test('is spent once where two services are called with it', async () => {
    const { session, spent, expire } = await signedIn()
    const sessions = [session(), session({ baseUrl: 'https://other.example.com' })]
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.all(sessions.map((auth) => auth.getToken()))
      expire()
    }
    expect(spent()).toEqual([1, 1])
  })

  test('is spent once where tokens of several scopes are got with it', async () => {
    const { session, spent, expire, baseUrl } = await signedIn()
    const scopes = ['read', 'write']
    const sessions = scopes.map((scope) => session({ scope }))
    for (let turn = 0; turn < 2; turn += 1) {
      const got = await Promise.all(sessions.map((auth) => authFetch(auth)(baseUrl)))
      const tokens = await Promise.all(got.map((response): Promise<unknown> => response.json()))
      expect(tokens).toEqual(scopes.map((scope): unknown => expect.objectContaining({ scope })))
      expire()
    }
    expect(spent()).toEqual([1, 1, 1, 1])
  })

  test('of a new sign-in starts afresh', async () => {
    const { session, signIn, world, spent } = await signedIn()
    world.intercept = async ({ response }) => void response.destroy()
    expect(await failure(session())).toEqual(lost)
    world.intercept = undefined
    await session({ refreshToken: await signIn() }).getToken()
    expect(spent()).toEqual([1, 1])
  })

  test('with an ID token beside it works without metadata', async () => {
    const { session, expire, issuer, paths } = await signedIn()
    const tokenEndpoint = `${issuer}/token`
    const auth = session({ tokenEndpoint, issuer: new URL(issuer) })
    await auth.getToken()
    expire()
    await auth.getToken()
    expect(paths).toEqual(['/token', '/token'])
  })

  test('needs a store that outlives the process', async () => {
    const grant = { issuer: 'https://login.example.com', clientId: 'app', refreshToken: 'x' }
    const make = (store?: ReturnType<typeof memoryTokenStore>, rotation?: 'none') =>
      createSessionAuth({
        baseUrl: 'https://api.example.com',
        ...refreshToken({ ...grant, rotation }),
        store,
      })
    for (const store of [undefined, memoryTokenStore()]) {
      expect(() => make(store)).toThrow(TypeError)
      expect(() => make(store)).toThrow('store must be one that outlives the process')
      expect(() => make(store, 'none')).not.toThrow()
    }
  })
})

test('a refresh token that does not rotate is used again and again, without a store', async () => {
  const { issuer, baseUrl, signIn, spent } = await authorizationServer({ rotates: false })
  const time = { now: Date.now() }
  const grant = { issuer, clientId: 'app', refreshToken: await signIn(), resource: reports }
  const auth = createSessionAuth({
    baseUrl,
    ...refreshToken({ ...grant, rotation: 'none' }),
    clock: () => time.now,
  })
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await authFetch(auth)(baseUrl)).status).toBe(200)
    time.now += 600_000
  }
  expect(spent()).toEqual([3])
})

describe('a response that is lost', () => {
  test('after the server has rotated is told to all, and the refresh token is not sent again', async () => {
    const { session, world, spent, expire, time, first } = await signedIn()
    const auth = session()
    await auth.getToken()
    expire()
    world.intercept = async ({ exchange, response }) => {
      await exchange()
      response.destroy()
    }
    const error = await failure(auth)
    expect(error).toEqual(lost)
    expect(String(error)).toContain('sign in anew')
    expect(String(error)).not.toContain(first)
    world.intercept = undefined
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await failure(auth)).toEqual(lost)
      expect(await failure(session())).toEqual(lost)
      time.now += 3_600_000
    }
    expect(spent()).toEqual([1, 1])
  })

  test('may be asked for again within reuseGraceMs of the first time, and no later', async () => {
    const { session, world, spent, time } = await signedIn()
    const auth = session({ reuseGraceMs: 30_000 })
    world.intercept = async ({ response }) => void response.destroy()
    expect(await failure(auth)).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    time.now += 20_000
    expect(await failure(session({ reuseGraceMs: 30_000 }))).toMatchObject({
      code: 'ERR_AUTH_LOGIN_NETWORK',
    })
    time.now += 20_000
    expect(await failure(session({ reuseGraceMs: 30_000 }))).toEqual(lost)
    time.now -= 40_000
    expect(spent()).toEqual([2])
    // A clock that is behind knows nothing of the time since then.
    time.now -= 3_600_000
    expect(await failure(session({ reuseGraceMs: 30_000 }))).toEqual(lost)
    time.now += 3_600_000 + 10_000
    world.intercept = undefined
    await session({ reuseGraceMs: 30_000 }).getToken()
    expect(spent()).toEqual([3])
  })

  test.each<[string, number]>([
    ['a 500', 500],
    ['a 503', 503],
    ['a 408', 408],
  ])('counts as lost with %s, which may come after the exchange', async (_, status) => {
    const { session, world, spent } = await signedIn()
    world.intercept = async ({ response }) => void response.writeHead(status).end()
    expect(await failure(session())).toEqual(lost)
    expect(await failure(session())).toEqual(lost)
    expect(spent()).toEqual([1])
  })

  test('counts as lost where it takes too long', async () => {
    const time = manualTime()
    const { session, world, spent } = await signedIn(time)
    world.intercept = () => new Promise(() => {})
    const failed = failure(session())
    await until(() => spent().length === 1)
    await time.advance(15_000)
    const error = await failed
    expect(error).toEqual(lost)
    expect(error).toMatchObject({ cause: { code: 'ERR_AUTH_LOGIN_TIMEOUT' } })
  })

  test('counts as lost where it is not what OAuth says', async () => {
    const { session, world } = await signedIn()
    world.intercept = async ({ response }) => void response.end('<html>200</html>')
    expect(await failure(session())).toEqual(lost)
  })

  test.each<
    [string, (auth: ReturnType<typeof createSessionAuth>, leave: AbortController) => unknown]
  >([
    ['every caller aborts', (_auth, leave) => leave.abort(new Error('left'))],
    ['the session is invalidated', (auth) => auth.invalidate()],
  ])('is not, since %s while it is on its way', async (_, act) => {
    const time = manualTime()
    const { session, world, spent } = await signedIn(time)
    const auth = session()
    let go: (() => void) | undefined
    let hasEnded = false
    world.intercept = async ({ exchange, response }) => {
      world.intercept = undefined
      const found = await exchange()
      response.once('close', () => (hasEnded = true))
      await new Promise<void>((resolve) => (go = resolve))
      respond(response, found)
    }
    const leave = new AbortController()
    const left = auth.getToken({ signal: leave.signal }).catch(() => {})
    await until(() => go !== undefined)
    await act(auth, leave)
    // Any other login is given up two seconds after its last caller has left.
    await time.advance(5000)
    expect(hasEnded).toBe(false)
    go?.()
    await left
    await time.run(auth.getToken())
    await time.run(session().getToken())
    expect(spent().every((times) => times === 1)).toBe(true)
  })
})

describe('a refresh token that did not reach the server is no loss', () => {
  test('where nothing listens', async () => {
    const { session, issuer, spent } = await signedIn()
    let isUp = false
    const port = await freePort()
    const auth = session({
      fetch: (input, init) =>
        isUp || init?.method !== 'POST'
          ? fetch(input, init)
          : fetch(`http://127.0.0.1:${port}/token`, init),
    })
    expect(await failure(auth)).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    isUp = true
    await auth.getToken()
    expect(spent()).toEqual([1])
    expect(issuer).toMatch(/^http/)
  })

  test.each<[string, () => Promise<Response>]>([
    ['does not respond', () => new Promise(() => {})],
    ['breaks off', () => Promise.reject(new Error('reset'))],
    ['are away', async () => new Response('gone', { status: 503 })],
    ['are a page', async () => new Response('<html></html>')],
    ['redirect', async () => Response.redirect('https://elsewhere.example.com/')],
    ['are of another', async () => Response.json({ issuer: 'https://evil.example.com' })],
  ])('where the metadata %s', async (_, respondBadly) => {
    const time = manualTime()
    const { issuer, first, baseUrl, spent } = await signedIn(time)
    let isBad = true
    let isAsked = false
    const { store } = durableStore()
    const auth = createSessionAuth({
      baseUrl,
      ...refreshToken({ issuer, clientId: 'app', refreshToken: first }),
      store,
      clock: time.clock,
      fetch(input, init) {
        isAsked = true
        return isBad ? respondBadly() : fetch(input, init)
      },
    })
    const failed = failure(auth)
    await until(() => isAsked)
    await time.advance(15_000)
    const error = await failed
    expect(error).not.toEqual(lost)
    expect(AuthError.is(error)).toBe(true)
    isBad = false
    await auth.invalidate()
    await auth.getToken()
    expect(spent()).toEqual([1])
  })

  test.each<[number, string, string]>([
    [400, 'application/json', '{"error":"invalid_grant","error_description":"it was revoked"}'],
    [401, 'application/json', '{"error":"invalid_client","error_description":"it was revoked"}'],
    [403, 'application/xml', '<Error><Message>it was revoked</Message></Error>'],
    [429, 'application/json', '{"message":"it was revoked"}'],
  ])(
    'where it was refused with %i and %s, which says so and pauses',
    async (status, type, body) => {
      const { session, world, spent, time } = await signedIn()
      world.intercept = async ({ response }) =>
        void response.writeHead(status, { 'content-type': type, 'retry-after': '30' }).end(body)
      const auth = session()
      for (let turn = 0; turn < 3; turn += 1) {
        expect(await failure(auth)).toMatchObject({
          code: 'ERR_AUTH_LOGIN_REFUSED',
          status,
          serverMessage: expect.stringContaining('it was revoked'),
          retryAt: expect.any(Number),
        })
      }
      expect(spent()).toEqual([1])
      world.intercept = undefined
      time.now += 3_600_000
      await session().getToken()
      expect(spent()).toEqual([2])
    },
  )

  test('where it was redirected', async () => {
    const { session, world, spent } = await signedIn()
    const location = 'https://elsewhere.example.com/'
    world.intercept = async ({ response }) => void response.writeHead(307, { location }).end()
    const auth = session()
    expect(await failure(auth)).toMatchObject({ code: 'ERR_AUTH_LOGIN_REDIRECT', status: 307 })
    world.intercept = undefined
    await auth.invalidate()
    await auth.getToken()
    expect(spent()).toEqual([2])
  })

  test('that the server knows to be used is refused, with its words', async () => {
    const { session, first, issuer } = await signedIn()
    const use = () =>
      fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: 'app',
          refresh_token: first,
        }),
      })
    expect((await use()).status).toBe(200)
    expect(await failure(session())).toMatchObject({
      code: 'ERR_AUTH_LOGIN_REFUSED',
      status: 400,
      serverMessage: expect.any(String),
    })
  })
})

describe('a store', () => {
  test.each<[string, Partial<TokenStore>]>([
    ['cannot be read', { get: away }],
    ['cannot be locked', { lock: away }],
    ['cannot be written to', { compareAndSwap: away }],
    ['gives rubbish', { get: async () => ({ generation: 1, sealed: 'rubbish' }) }],
  ])('that %s keeps the refresh token from being sent', async (_, faults) => {
    const { session, spoilt, spent } = await signedIn()
    Object.assign(spoilt, faults)
    const auth = session()
    expect(await failure(auth)).toEqual(noStore)
    await auth.invalidate()
    expect(await failure(auth)).toEqual(noStore)
    expect(spent()).toEqual([])
    for (const name of Object.keys(faults)) Reflect.deleteProperty(spoilt, name)
    await auth.invalidate()
    await auth.getToken()
    expect(spent()).toEqual([1])
  })

  test('that is away is no error while the token is good, and is not asked for each request', async () => {
    const { session, spoilt, time, events, baseUrl } = await signedIn()
    const auth = session()
    await auth.getToken()
    let asked = 0
    spoilt.get = () => {
      asked += 1
      return away()
    }
    time.now += 400_000
    for (let call = 0; call < 20; call += 1) {
      expect((await authFetch(auth)(baseUrl)).status).toBe(200)
    }
    expect(asked).toBeLessThan(3)
    expect(events.filter(({ type }) => type === 'store.failed').length).toBeLessThan(3)
  })

  test('that went back to an older record, as after a failover, is an error', async () => {
    const { session, spoilt, spent, expire, keys, memory } = await signedIn()
    const auth = session()
    await auth.getToken()
    const [key = ''] = keys
    const older = await memory.get(key)
    expire()
    await auth.getToken()
    expire()
    const replica = memoryTokenStore()
    for (let generation = 1; generation <= (older?.generation ?? 0); generation += 1) {
      const record = { sealed: older?.sealed ?? '', generation }
      await replica.compareAndSwap(key, record, { fencingToken: 0, ttlMs: 1e9 })
    }
    Object.assign(spoilt, replica)
    expect(await failure(auth)).toEqual(noStore)
    await auth.invalidate()
    expect(await failure(auth)).toEqual(noStore)
    expect(spent()).toEqual([1, 1])
  })

  test.each([
    ['lost the record', ''],
    ['cannot open it', 'rubbish'],
  ])('that %s is an error, whatever was invalidated', async (_, sealed) => {
    const { session, spoilt, spent, expire, keys } = await signedIn()
    const auth = session()
    await auth.getToken()
    expire()
    const other = memoryTokenStore()
    for (const key of sealed ? keys : []) {
      const write = { fencingToken: 0, ttlMs: 1e9 }
      await other.compareAndSwap(key, { generation: 1, sealed }, write)
    }
    Object.assign(spoilt, other)
    expect(await failure(auth)).toEqual(noStore)
    await auth.invalidate()
    expect(await failure(auth)).toEqual(noStore)
    expect(spent()).toEqual([1])
  })

  test.each<[string, () => Promise<boolean>]>([
    ['that is away', away],
    ['that another has locked meanwhile', async () => false],
  ])(
    '%s when the response comes leaves the next refresh token to this process alone',
    async (_, write) => {
      const { session, spoilt, memory, spent, expire, baseUrl } = await signedIn()
      const [auth, other] = [session(), session()]
      let writes = 0
      spoilt.compareAndSwap = (...given) => {
        writes += 1
        return writes === 1 ? memory.compareAndSwap(...given) : write()
      }
      expect((await authFetch(auth)(baseUrl)).status).toBe(200)
      delete spoilt.compareAndSwap
      expire()
      // Of another process, which does not share the memory of this one.
      expect(spent()).toEqual([1])
      await auth.getToken()
      expect(spent()).toEqual([1, 1])
      await other.getToken()
      expect(spent()).toEqual([1, 1])
    },
  )

  test('that comes back after a refused refresh has no older refresh token', async () => {
    const { session, spoilt, memory, spent, expire, world, time } = await signedIn()
    const auth = session()
    let writes = 0
    spoilt.compareAndSwap = (...given) => {
      writes += 1
      return writes === 1 ? memory.compareAndSwap(...given) : away()
    }
    await auth.getToken()
    delete spoilt.compareAndSwap
    expire()
    world.intercept = async ({ response }) =>
      void response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"later"}')
    expect(await failure(auth)).toMatchObject({ status: 400 })
    world.intercept = undefined
    time.now += 3_600_000
    // Of a session that has none of its own.
    await session().getToken()
    // The second one was refused, and then sent once more.
    expect(spent()).toEqual([1, 2])
  })
})

test('records hold no secret in clear, and neither do events and errors', async () => {
  const { session, memory, keys, events, expire, world, tokenRequests, first } = await signedIn()
  const auth = session()
  const tokens = [first, await auth.getToken()]
  expire()
  tokens.push(await auth.getToken())
  expire()
  world.intercept = async ({ response }) =>
    void response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: `no ${tokenRequests.at(-1)?.form.get('refresh_token')}` }))
  const error = await failure(auth)
  const records = await Promise.all([...keys].map((key) => memory.get(key)))
  const { inspect } = await import('node:util')
  const shown = inspect([error, events, records, auth, auth.inspect(), [...keys]], {
    depth: 20,
    showHidden: true,
  })
  const spentTokens = tokenRequests.map(({ form }) => form.get('refresh_token') ?? '')
  for (const secret of [...tokens, ...spentTokens]) expect(shown).not.toContain(secret)
})
