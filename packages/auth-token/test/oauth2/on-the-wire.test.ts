import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  createSessionAuth,
  forgetSessions,
  type SessionAuthOptions,
  type SharedTokenStore,
} from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { type OAuth2Credentials, refreshToken } from '@svc/auth-token/oauth2'
import { until } from '../support/service.ts'
import { manualTime, withCheapSeals } from '../support/time.ts'
import { openFileStore, thisSystem } from '../testing.ts'
import { holdNextExchange, type Intercept } from './support/authorization-server.ts'
import {
  away,
  durableStore,
  failure,
  lost,
  noStore,
  otherProcess,
  signedIn,
} from './support/signed-in.ts'

afterEach(forgetSessions)

const failing = (code: string, syscall?: string) =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error(code), { code, ...(syscall && { syscall }) }),
  })

describe('a refresh token that never reached the server is no loss', () => {
  test.each<[what: string, error: Error]>([
    ['there is no network', failing('ENETUNREACH', 'connect')],
    ['there is no way to the host', failing('EHOSTUNREACH', 'connect')],
    ['the host does not take the connection', failing('ETIMEDOUT', 'connect')],
    ['a captive portal has another certificate', failing('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['the certificate is not trusted', failing('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['the port has no TLS', failing('ERR_SSL_WRONG_VERSION_NUMBER')],
  ])('where %s', async (_what, error) => {
    const { session, spent, time } = await signedIn()
    let isAway = true
    const auth = session({
      fetch: async (input, init) =>
        isAway && init?.method === 'POST' ? Promise.reject(error) : fetch(input, init),
    })
    expect(await failure(auth)).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    isAway = false
    time.now += 60_000
    // Neither here nor in another process.
    expect(await failure(session({}, await otherProcess()))).toBeUndefined()
    expect(await failure(auth)).toBeUndefined()
    expect(spent()).toEqual([1])
  })

  test('where a page is offline', async () => {
    const { session, spent, issuer } = await signedIn()
    const browser = Object.getOwnPropertyDescriptor(globalThis.navigator, 'onLine')
    Object.defineProperty(globalThis.navigator, 'onLine', { value: false, configurable: true })
    try {
      // Without a code, as in a page.
      const cutOff = async (): Promise<Response> => Promise.reject(new TypeError('Failed to fetch'))
      const auth = session({ tokenEndpoint: `${issuer}/token`, fetch: cutOff })
      expect(await failure(auth)).toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    } finally {
      if (browser) Object.defineProperty(globalThis.navigator, 'onLine', browser)
      else Reflect.deleteProperty(globalThis.navigator, 'onLine')
    }
    expect(await failure(session({}, await otherProcess()))).toBeUndefined()
    expect(spent()).toEqual([1])
  })

  test('where it failed at one address alone, it is one', async () => {
    const { session } = await signedIn()
    const errors = [failing('ECONNREFUSED', 'connect').cause, failing('ECONNRESET', 'read').cause]
    const fetchFailed = new TypeError('fetch failed', { cause: new AggregateError(errors) })
    const auth = session({
      fetch: async (input, init) =>
        init?.method === 'POST' ? Promise.reject(fetchFailed) : fetch(input, init),
    })
    expect(await failure(auth)).toEqual(lost)
  })
})

describe('a process that was stopped while its refresh was on the wire', () => {
  /** Stops a process after the server has exchanged its refresh token, and has another one ask meanwhile. */
  async function stopped() {
    const time = manualTime()
    const asleep = manualTime()
    const signed = await signedIn(time)
    const { session, world } = signed
    const exchange = holdNextExchange(world)
    // Its timers do not run: it cannot extend its lock.
    const sleeper = session({ clock: withCheapSeals(() => time.now, asleep.timers) })
    const token = sleeper.getToken()
    await until(exchange.isHeld)
    return { ...signed, time, token, sleeper, wake: exchange.release }
  }

  test('stores what it got, although another has taken its lock', async () => {
    const { session, time, token, wake, spent, expire } = await stopped()
    const other = session({}, await otherProcess()).getToken()
    await time.advance(7000)
    wake()
    expect(await token).toBe(await time.run(other))
    expect(spent()).toEqual([1])
    expire()
    expect(await time.run(failure(session({}, await otherProcess())))).toBeUndefined()
    expect(spent()).toEqual([1, 1])
  })

  test('heals what was told lost', async () => {
    const { session, time, token, wake, spent } = await stopped()
    expect(await time.run(failure(session({}, await otherProcess())))).toEqual(lost)
    // Who comes later does not wait.
    expect(await failure(session({}, await otherProcess()))).toEqual(lost)
    wake()
    const value = await token
    expect(await session({}, await otherProcess()).getToken()).toBe(value)
    expect(spent()).toEqual([1])
  })

  test('is waited for in waking time alone', async () => {
    const { session, time, token, wake } = await stopped()
    const other = session({}, await otherProcess()).getToken()
    await time.advance(1000)
    // As the clock of a laptop that slept.
    time.now += 3_600_000
    await time.advance(1000)
    wake()
    await token
    expect(await time.run(other.catch((error: unknown) => error))).not.toEqual(lost)
  })
})

describe('a store that is slow', () => {
  test('with the note costs a try, and no sign-in', async () => {
    const time = manualTime()
    const { session, spoilt, memory, spent } = await signedIn(time)
    let isSlow = true
    spoilt.compareAndSwap = async (...given) => {
      if (isSlow) {
        isSlow = false
        await time.delay(3000)
      }
      return memory.compareAndSwap(...given)
    }
    const auth = session()
    expect(await time.run(failure(auth))).toMatchObject({ code: 'ERR_AUTH_STORE' })
    await time.advance(5000)
    expect(spent()).toEqual([])
    expect(await time.run(failure(session({}, await otherProcess())))).toBeUndefined()
    expect(spent()).toEqual([1])
  })

  test('that was away with the result gets it, and says so until then', async () => {
    const time = manualTime()
    const { session, spoilt, memory, spent, expire } = await signedIn(time)
    let writes = 0
    let isAway = false
    spoilt.compareAndSwap = (...given) => {
      writes += 1
      isAway ||= writes === 2
      return isAway ? away() : memory.compareAndSwap(...given)
    }
    const auth = session()
    await auth.getToken()
    expect(auth.inspect()).toMatchObject({ state: 'valid', unstored: true })
    await time.advance(20_000)
    expect(auth.inspect()).toMatchObject({ unstored: true })
    isAway = false
    writes = 10
    await auth.getToken()
    await until(() => !('unstored' in auth.inspect()))
    expect(auth.inspect()).not.toHaveProperty('unstored')
    expire()
    // As after a restart.
    expect(await time.run(failure(session()))).toBeUndefined()
    expect(spent()).toEqual([1, 1])
  })

  test('for a moment gets the result although nobody asks for a token', async () => {
    const time = manualTime()
    const { session, spoilt, memory, spent, expire } = await signedIn(time)
    let writes = 0
    spoilt.compareAndSwap = (...given) => {
      writes += 1
      return writes === 2 ? away() : memory.compareAndSwap(...given)
    }
    const auth = session()
    await auth.getToken()
    await time.advance(250)
    await until(() => !('unstored' in auth.inspect()))
    expire()
    expect(await time.run(failure(session({}, await otherProcess())))).toBeUndefined()
    expect(spent()).toEqual([1, 1])
  })
})

describe('a store that went back while it had not taken the end of a refresh', () => {
  const refuse: Intercept = async ({ response }) => void response.writeHead(429).end()
  const destroy: Intercept = async ({ response }) => void response.destroy()
  test.each<[end: string, to: 'older' | 'empty', intercept: Intercept | undefined]>([
    ['result', 'older', undefined],
    ['refusal', 'older', refuse],
    ['refusal', 'empty', refuse],
    ['loss', 'older', destroy],
    ['loss', 'empty', destroy],
  ])('(a %s; %s) sends no refresh token twice', async (_end, to, intercept) => {
    const time = manualTime()
    const { session, spoilt, memory, spent, expire, keys, world } = await signedIn(time)
    const auth = session()
    await auth.getToken()
    const older = await memory.get([...keys][0] ?? '')
    for (let turn = 0; turn < 2; turn += 1) {
      expire()
      await auth.getToken()
    }
    expire()
    let writes = 0
    spoilt.compareAndSwap = (...given) => {
      writes += 1
      return writes === 2 ? away() : memory.compareAndSwap(...given)
    }
    world.intercept = intercept
    await time.run(failure(auth))
    world.intercept = undefined
    const sentBefore = spent()
    const backed = { record: to === 'older' ? older : undefined }
    spoilt.get = async () => backed.record
    spoilt.compareAndSwap = async (_key, record) => {
      if (record.generation !== (backed.record?.generation ?? 0) + 1) return false
      backed.record = record
      return true
    }
    await time.advance(250)
    await until(() => !('unstored' in auth.inspect()))
    for (let turn = 0; turn < 3; turn += 1) {
      expire()
      expect(await time.run(failure(auth))).toEqual(noStore)
    }
    expect(spent()).toEqual(sentBefore)
  })

  test('gets a result anew if it is empty', async () => {
    const time = manualTime()
    const { session, spoilt, memory, spent, expire } = await signedIn(time)
    const auth = session()
    let writes = 0
    spoilt.compareAndSwap = (...given) => {
      writes += 1
      return writes === 2 ? away() : memory.compareAndSwap(...given)
    }
    await auth.getToken()
    Object.assign(spoilt, memoryTokenStore(time.clock))
    await time.advance(250)
    await until(() => !('unstored' in auth.inspect()))
    expire()
    expect(await time.run(failure(auth))).toBeUndefined()
    expire()
    expect(await time.run(failure(session({}, await otherProcess())))).toBeUndefined()
    expect(spent()).toEqual([1, 1, 1])
  })
})

describe('a login that wraps the one of refreshToken()', () => {
  const sessionOf = async (
    wrap: (own: ReturnType<typeof refreshToken>) => Partial<SessionAuthOptions<OAuth2Credentials>>,
  ) => {
    const { issuer, first, world, spent } = await signedIn()
    const own = refreshToken({ issuer, clientId: 'app', refreshToken: first })
    const options = { baseUrl: 'https://api.example.com', session: 'own' as const }
    const make = (store?: SharedTokenStore) =>
      createSessionAuth({
        ...options,
        credentials: own.credentials,
        keyOf: own.keyOf,
        login: own.login,
        ...wrap(own),
        store,
      })
    return { make, world, spent }
  }

  test.each<[what: string, wrap: Parameters<typeof sessionOf>[0]]>([
    ['as it is', (own) => ({ ...own, login: (context) => own.login(context) })],
    ['without the rest', (own) => ({ login: async (context) => own.login({ ...context }) })],
  ])('%s keeps its rules', async (_what, wrap) => {
    const { make, world, spent } = await sessionOf(wrap)
    expect(() => make()).toThrow('store must be one that outlives the process')
    const { store } = durableStore()
    world.intercept = async ({ response }) => void response.destroy()
    expect(await failure(make(store))).toEqual(lost)
    expect(await failure(make(store))).toEqual(lost)
    expect(spent()).toEqual([1])
  })

  test('and leaves all of it behind is an error, and nothing is sent', async () => {
    const { make, spent } = await sessionOf((own) => ({
      credentials: { secrets: [] },
      login: ({ credentials, fetch, signal }) => own.login({ credentials, fetch, signal }),
    }))
    expect(String(await failure(make()))).toContain('its login was wrapped')
    expect(spent()).toEqual([])
  })
})

test('a rotating sign-in outlives the cache, and is not begun anew without its record', async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-auth-'))
  onTestFinished(() => rm(home, { recursive: true }))
  const environment = { XDG_CACHE_HOME: join(home, 'cache'), XDG_STATE_HOME: join(home, 'state') }
  const platform = { ...thisSystem, name: 'linux', environment }
  const { issuer, first, spent } = await signedIn()
  const session = () =>
    createSessionAuth({
      baseUrl: 'https://api.example.com',
      ...refreshToken({ issuer, clientId: 'app', refreshToken: first }),
      store: openFileStore(platform, {}),
      session: 'own',
      clock: withCheapSeals(() => Date.now()),
    })
  const auth = session()
  const token = await auth.getToken()
  await rm(join(home, 'cache'), { recursive: true })
  expect(await session().getToken()).toBe(token)
  const state = join(home, 'state', 'svc-auth')
  const folders = (await readdir(state)).filter((name) => name !== 'rotated')
  expect(folders).toHaveLength(1)
  await rm(join(state, folders[0] ?? ''), { recursive: true })
  expect(await failure(session())).toMatchObject({ code: 'ERR_AUTH_STORE' })
  expect(spent()).toEqual([1])
})
