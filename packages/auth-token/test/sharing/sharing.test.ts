import { describe, expect, test } from 'vitest'
import {
  authFetch,
  type Fetch,
  type SharedTokenStore,
  type TokenAuth,
  type TokenStore,
} from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { isNightly } from '../../../../tests/support/nightly.ts'
import { loginRequests, primary, service, until } from '../support/service.ts'
import { manualTime, withCheapSeals } from '../support/time.ts'

const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type)
const refused = { code: 'ERR_AUTH_LOGIN_REFUSED', status: 401 }

describe('sessions that share a store', () => {
  test('cost one login, one after the other or at once', async () => {
    const { session, emulator } = await service({ store: memoryTokenStore() })
    const sessions = Array.from({ length: 8 }, () => session())
    const tokens = await Promise.all(sessions.map((each) => each.getToken()))
    tokens.push(await session().getToken())
    expect(new Set(tokens).size).toBe(1)
    expect(emulator.logins).toBe(1)
  })

  test('tell of a token that another session got, and of the wait for it', async () => {
    const time = manualTime()
    const { clock } = time
    const slow: Fetch = async (input, init) => {
      await time.delay(500)
      return fetch(input, init)
    }
    const { auth, session, events } = await service({
      store: memoryTokenStore(),
      clock,
      fetch: slow,
    })
    const first = auth.getToken()
    await until(() => events.length === 1)
    const second = session().getToken()
    await time.advance(500)
    await first
    await until(() => time.waiting > 0)
    await time.advance(250)
    await second
    expect(types(events)).toEqual(['login.start', 'login.ok', 'token.adopted'])
    expect(events.at(-1)).toMatchObject({ generation: 1 })
  })

  test('replace a token that was revoked by one login, and no request fails', async () => {
    const { session, emulator, groups } = await service({ store: memoryTokenStore() })
    const fetches = Array.from({ length: 4 }, () => authFetch(session()))
    const all = (): Promise<number[]> =>
      Promise.all(fetches.map(async (send) => (await send(groups)).status))
    for (let round = 1; round <= 3; round += 1) {
      expect(await all()).toEqual([200, 200, 200, 200])
      expect(emulator.logins).toBe(round)
      emulator.revokeTokens()
    }
  })

  test('renew by one login', async () => {
    const { session, emulator, groups, time } = await service({ store: memoryTokenStore() })
    const sessions = Array.from({ length: 4 }, () => session())
    const all = async (generation: number): Promise<void> => {
      for (const each of sessions) {
        expect((await authFetch(each)(groups)).status).toBe(200)
        await until(() => each.inspect().generation === generation)
      }
    }
    await all(1)
    time.now += 24 * 3_600_000 - 600_000
    await all(2)
    await all(2)
    expect(emulator.logins).toBe(2)
    expect(sessions.map((each) => each.inspect().generation)).toEqual([2, 2, 2, 2])
  })

  test('of different accounts keep apart: user, parent, header prefix, base URL', async () => {
    const store = memoryTokenStore()
    const { session, server, emulator } = await service(
      { store },
      { users: [primary, { ...primary, username: 'other' }, { ...primary, parentUid: 'parent' }] },
    )
    const tokens = await Promise.all([
      session().getToken(),
      session({ credentials: { ...primary, username: 'other' } }).getToken(),
      session({ credentials: { ...primary, parentUid: 'parent' } }).getToken(),
      session({ baseUrl: `http://localhost:${server.url.port}` }).getToken(),
    ])
    expect(new Set(tokens).size).toBe(4)
    expect(emulator.logins).toBe(4)
    // The service does not know this prefix, and is asked all the same.
    await expect(session({ vendorPrefix: 'acme' }).getToken()).rejects.toMatchObject({
      code: 'ERR_AUTH_LOGIN_REFUSED',
    })
    expect(await session().getToken()).toBe(tokens[0])
  })

  test('hold each other back after refused credentials, for as long as one alone would', async () => {
    const wrong = { ...primary, password: 'wrong' }
    let now = 0
    const clock = withCheapSeals(() => now)
    const store = memoryTokenStore(clock)
    const attempt = await service({ store, credentials: wrong, clock })
    const { session } = attempt
    const refusals = async (): Promise<number> => {
      const sessions = Array.from({ length: 4 }, () => session())
      for (const each of sessions) await expect(each.getToken()).rejects.toMatchObject(refused)
      return loginRequests(attempt)
    }
    expect(await refusals()).toBe(1)
    now += 29_999
    expect(await refusals()).toBe(1)
    now += 1
    expect(await refusals()).toBe(2)
    now += 59_999
    expect(await refusals()).toBe(2)
    now += 1
    expect(await refusals()).toBe(3)
  })

  test('let changed credentials pass at once, and are not disturbed by wrong ones', async () => {
    const { session, emulator } = await service({ store: memoryTokenStore() })
    const wrong = session({ credentials: { ...primary, password: 'wrong' } })
    await expect(wrong.getToken()).rejects.toMatchObject(refused)
    const token = await session().getToken()
    await expect(wrong.getToken()).rejects.toMatchObject(refused)
    expect(await session().getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('find the token that another got after the pause of this one began', async () => {
    let password = 'wrong'
    const store = memoryTokenStore()
    const attempt = await service({ store, credentials: () => ({ ...primary, password }) })
    await expect(attempt.auth.getToken()).rejects.toMatchObject(refused)
    const token = await attempt.session({ credentials: primary }).getToken()
    password = primary.password
    expect(await attempt.auth.getToken()).toBe(token)
    expect(attempt.emulator.logins).toBe(1)
  })

  test('use the token of another while their own logins fail', async () => {
    const store = memoryTokenStore()
    const { session, auth } = await service({ store })
    const cut = session({
      fetch: async () => Promise.reject(new TypeError('cut off')),
      random: () => 0.5,
    })
    for (let call = 0; call < 3; call += 1) {
      await expect(cut.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    }
    expect(cut.inspect().state).toBe('paused')
    const token = await auth.getToken()
    expect(await cut.getToken()).toBe(token)
  })

  test('take the token that came while their own login failed', async () => {
    const store = memoryTokenStore()
    const { session, emulator } = await service({ store })
    let isFirst = true
    const late = session({
      fetch: async () => {
        // The lock ran out meanwhile, as for a process that was stopped.
        if (isFirst) token = await session({ store: withoutLocks(store) }).getToken()
        isFirst = false
        return new Response('', { status: 401 })
      },
    })
    let token = ''
    expect(await late.getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('count each of two logins that were refused at the same time', async () => {
    const time = manualTime(0)
    const store = memoryTokenStore(time.clock)
    const attempt = await service({ store, clock: time.clock, credentials: wrongPassword })
    const { session, events } = attempt
    let isFirst = true
    let other: unknown
    const slow = session({
      fetch: async (...request) => {
        // The lock ran out meanwhile, as for a process that was stopped.
        if (isFirst)
          other = await session({ store: withoutLocks(store) })
            .getToken()
            .catch((error: unknown) => error)
        isFirst = false
        return fetch(...request)
      },
      store: withoutLocks(store),
    })
    await expect(slow.getToken()).rejects.toMatchObject({ ...refused, retryAt: 60_000 })
    expect(other).toMatchObject({ ...refused, retryAt: 30_000 })
    await expect(session().getToken()).rejects.toMatchObject({ ...refused, retryAt: 60_000 })
    expect(types(events).filter((type) => type === 'login.failed')).toHaveLength(2)
    expect(loginRequests(attempt)).toBe(2)
  })

  test('take what came between the look into the store and the lock', async () => {
    const memory = memoryTokenStore()
    const { session, emulator } = await service({ store: memory })
    let token: string | undefined
    const store: SharedTokenStore = {
      ...memory,
      async lock(key, lock) {
        token ??= await session().getToken()
        return memory.lock(key, lock)
      },
    }
    expect(await session({ store }).getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('agree on one token again after two logged in at once', async () => {
    const store = memoryTokenStore()
    let isLocking = false
    const lock: TokenStore['lock'] = async (...args) =>
      isLocking ? store.lock(...args) : Number.MAX_SAFE_INTEGER
    const { session, groups, emulator, time } = await service({ store: { ...store, lock } })
    const sessions = Array.from({ length: 4 }, () => session())
    const send = async (): Promise<number[]> =>
      Promise.all(sessions.map(async (each) => (await authFetch(each)(groups)).status))
    await send()
    emulator.revokeTokens()
    await send()
    isLocking = true
    time.now += 30_000
    const before = emulator.logins
    await send()
    expect(await send()).toEqual([200, 200, 200, 200])
    const tokens = await Promise.all(sessions.map((each) => each.getToken()))
    expect(new Set(tokens).size).toBe(1)
    expect(emulator.logins - before).toBeLessThanOrEqual(1)
  })

  test('do not take what an invalidated login writes meanwhile', async () => {
    const memory = memoryTokenStore()
    let auth: TokenAuth | undefined
    let next: Promise<string> | undefined
    const store: SharedTokenStore = {
      ...memory,
      async compareAndSwap(...write) {
        if (auth && !next) {
          void auth.invalidate()
          next = auth.getToken()
        }
        return memory.compareAndSwap(...write)
      },
    }
    const { session, emulator } = await service({ store })
    auth = session()
    const token = await auth.getToken()
    expect(await next).toBe(token)
    expect(emulator.logins).toBe(2)
  })

  test('do not take what stood in the store when they were invalidated, even while it is read', async () => {
    const memory = memoryTokenStore()
    let auth: TokenAuth | undefined
    const store: SharedTokenStore = {
      ...memory,
      async get(key) {
        const record = await memory.get(key)
        const waiting = auth
        auth = undefined
        await waiting?.invalidate()
        return record
      },
    }
    const { session, emulator } = await service({ store })
    const old = await session().getToken()
    auth = session()
    expect(await auth.getToken()).not.toBe(old)
    expect(emulator.logins).toBe(2)
  })

  test('take a newer token from the store although no login would help', async () => {
    const { session, groups, emulator, time } = await service({ store: memoryTokenStore() })
    const [one, other] = [session(), session()]
    await authFetch(one)(groups)
    const fault = emulator.fault({ path: '/user/groups', status: 401 })
    expect((await authFetch(one)(groups)).status).toBe(401)
    await other.getToken()
    await other.invalidate()
    const newer = await other.getToken()
    fault.clear()
    time.now += 1000
    const send = authFetch(one)
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await send(groups)).status))
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(await one.getToken()).toBe(newer)
  })

  test('log in anew after invalidate, and the others follow without a login', async () => {
    const { session, emulator, groups } = await service({ store: memoryTokenStore() })
    const [one, other] = [session(), session()]
    const first = await one.getToken()
    expect(await other.getToken()).toBe(first)
    await one.invalidate()
    const second = await one.getToken()
    expect(second).not.toBe(first)
    expect((await authFetch(other)(groups)).status).toBe(200)
    expect(await other.getToken()).toBe(second)
    expect(emulator.logins).toBe(2)
  })

  test('log in after invalidate although the store holds a lockout', async () => {
    const store = memoryTokenStore()
    const attempt = await service({ store })
    const fault = attempt.emulator.fault({ path: '/user/login', status: 401 })
    await expect(attempt.auth.getToken()).rejects.toMatchObject(refused)
    fault.clear()
    const other = attempt.session()
    await expect(other.getToken()).rejects.toMatchObject(refused)
    await other.invalidate()
    const token = await other.getToken()
    expect(await attempt.auth.getToken()).toBe(token)
    expect(loginRequests(attempt)).toBe(2)
  })

  test('hand a good token on although a login after it was refused', async () => {
    const store = memoryTokenStore()
    const { auth, session, emulator, time, events } = await service({ store })
    const token = await auth.getToken()
    time.now += 24 * 3_600_000 - 600_000
    emulator.fault({ path: '/user/login', status: 401 })
    expect(await auth.getToken()).toBe(token)
    await until(() => events.at(-1)?.type === 'login.paused')
    expect(await session().getToken()).toBe(token)
  })

  test('trust no clock of another host further than the token itself lives', async () => {
    const store = memoryTokenStore()
    const hour = 3_600_000
    const { session, time } = await service({ store }, { tokenLifetimeSeconds: 3600 })
    const fast = session({ clock: withCheapSeals(() => time.now + hour) })
    const token = await fast.getToken()
    const right = session()
    expect(await right.getToken()).toBe(token)
    expect(right.inspect().expiresAt).toBe(time.now + hour)
    const lockedOut = session({
      clock: withCheapSeals(() => time.now + 10 * hour),
      credentials: wrongPassword,
    })
    await expect(lockedOut.getToken()).rejects.toMatchObject(refused)
    const same = session({ credentials: wrongPassword })
    await expect(same.getToken()).rejects.toMatchObject({ retryAt: time.now + 900_000 })
  })

  test('leave the lock of a login that was too slow', async () => {
    const store = memoryTokenStore()
    const { session, emulator } = await service({ store })
    emulator.fault({ path: '/user/login', latencyMs: 2000, times: 1 })
    const slow = session({ loginTimeoutMs: 100 })
    await expect(slow.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
    expect(await session().getToken()).toMatch(/^eyJ/)
  })

  test('leave the lock of a login whose fetch is deaf to its signal', async () => {
    const { session } = await service({ store: memoryTokenStore(() => 0) })
    const deaf = session({ loginTimeoutMs: 100, fetch: () => new Promise(() => {}) })
    await expect(deaf.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' })
    expect(await session().getToken()).toMatch(/^eyJ/)
  })

  test('extend the lock while a login takes long', async () => {
    const memory = memoryTokenStore()
    const owners: string[] = []
    const store: SharedTokenStore = {
      ...memory,
      lock(key, lock) {
        owners.push(lock.owner)
        return memory.lock(key, lock)
      },
    }
    const time = manualTime()
    let isSent = false
    const slow: Fetch = async (input, init) => {
      isSent = true
      await time.delay(10_000)
      return fetch(input, init)
    }
    const { auth } = await service({ store, clock: time.clock, fetch: slow })
    const token = auth.getToken()
    await until(() => isSent)
    await time.advance(10_000)
    await token
    expect(owners.length).toBeGreaterThan(4)
    expect(new Set(owners).size).toBe(1)
  })

  test('wait for a lock as long as a login and the lock may last, then do without', async () => {
    const memory = memoryTokenStore()
    const time = manualTime()
    let asked = 0
    const store: SharedTokenStore = {
      ...memory,
      async lock() {
        asked += 1
        await time.delay(60)
        return undefined
      },
      get: async (key) => time.delay(60).then(() => memory.get(key)),
    }
    const { session, events, emulator } = await service({ store, clock: time.clock })
    const startedAt = time.now
    expect(await time.run(session({ loginTimeoutMs: 4000 }).getToken())).toMatch(/^eyJ/)
    expect(time.now - startedAt).toBeGreaterThan(5000)
    expect(asked).toBeGreaterThan(5)
    expect(emulator.logins).toBe(1)
    const failed = events.find((event) => event.type === 'store.failed')
    expect(failed).toMatchObject({ operation: 'lock', reason: 'timeout' })
  })

  test('keep a lock whose prolonging is confirmed too late', async () => {
    const memory = memoryTokenStore()
    const freed: string[] = []
    let beats = 0
    const time = manualTime()
    const slow: Fetch = async (input, init) => {
      await time.delay(2400)
      return fetch(input, init)
    }
    const store: SharedTokenStore = {
      ...memory,
      async lock(key, lock) {
        const taken = await memory.lock(key, lock)
        beats += 1
        if (beats === 2) await time.delay(1300)
        return taken
      },
      async unlock(key, owner) {
        freed.push(owner)
        return memory.unlock(key, owner)
      },
    }
    const { session } = await service({ store, clock: time.clock, fetch: slow })
    const token = session({ loginTimeoutMs: 4000 }).getToken()
    await until(() => beats > 0)
    await time.advance(2400)
    await token
    await until(() => freed.length > 0)
    await time.advance(1000)
    expect(freed).toHaveLength(1)
  })

  test('do not extend a lock that they have freed', async () => {
    const memory = memoryTokenStore()
    const order: string[] = []
    const releases: (() => void)[] = []
    const store: SharedTokenStore = {
      ...memory,
      async lock(key, lock) {
        const isHeartbeat = order.includes('lock')
        order.push('lock')
        if (isHeartbeat) await new Promise<void>((resolve) => releases.push(resolve))
        const taken = await memory.lock(key, lock)
        if (isHeartbeat) order.push('prolonged')
        return taken
      },
      async compareAndSwap(...given) {
        order.push('write')
        return memory.compareAndSwap(...given)
      },
      async unlock(key, owner) {
        order.push('unlock')
        return memory.unlock(key, owner)
      },
    }
    const time = manualTime()
    const slow: Fetch = async (input, init) => {
      await time.delay(700)
      return fetch(input, init)
    }
    const { auth } = await service({ store, loginTimeoutMs: 4000, clock: time.clock, fetch: slow })
    const token = auth.getToken()
    await until(() => order.length > 0)
    await time.advance(700)
    await until(() => order.includes('write'))
    await new Promise((resolve) => setImmediate(resolve))
    for (const release of releases) release()
    await token
    // A busy machine may extend it more than once.
    const heartbeats = releases.length
    expect(heartbeats).toBeGreaterThan(0)
    expect(order.slice(-heartbeats - 1)).toEqual([...releases.map(() => 'prolonged'), 'unlock'])
  })

  test('replace two dead tokens for one request: its own, and a sibling’s that nobody missed', async () => {
    const { session, emulator, groups, time } = await service({ store: memoryTokenStore() })
    const [busy, idle] = [session(), session()]
    await busy.getToken()
    await idle.getToken()
    emulator.revokeTokens()
    await authFetch(busy)(groups)
    time.now += 3_600_000
    emulator.revokeTokens()
    const send = authFetch(idle)
    const statuses = await Promise.all([1, 2, 3, 4, 5].map(async () => (await send(groups)).status))
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(emulator.logins).toBe(3)
  })

  test('log in seldom for an address that refuses every token, however many they are', async () => {
    const { session, emulator, base, groups, time } = await service({ store: memoryTokenStore() })
    emulator.fault({ path: '/user/forbidden', status: 401 })
    const fetches = Array.from({ length: 4 }, () => authFetch(session()))
    for (let second = 0; second < 120; second += 1) {
      const send = fetches[second % 4] ?? fetches[0]
      expect((await send?.(`${base}/user/forbidden`))?.status).toBe(401)
      const good = fetches[(second + 1) % 4] ?? fetches[0]
      expect((await good?.(groups))?.status).toBe(200)
      time.now += 1000
    }
    expect(emulator.logins).toBeLessThan(12)
  })

  test('do not give up a token that is good for an older one of the store', async () => {
    const memory = memoryTokenStore()
    let isAway = false
    const get: TokenStore['get'] = async (key) => {
      if (isAway) throw new Error('away')
      return memory.get(key)
    }
    const { session, base, emulator, time } = await service({ store: { ...memory, get } })
    const [one, alone] = [session(), session()]
    await one.getToken()
    isAway = true
    time.now += 1000
    const token = await alone.getToken()
    isAway = false
    time.now += 11_000
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      body: new Blob(['sent once']).stream(),
      duplex: 'half',
    }
    await authFetch(alone)(`${base}/user/x`, init)
    expect(await alone.getToken()).toBe(token)
    expect(emulator.requests.at(-1)?.auth).toMatchObject({ ok: true })
  })

  test('find the token of the store after a look at it that came too late', async () => {
    const memory = memoryTokenStore()
    const { session, emulator } = await service({ store: memory })
    const token = await session().getToken()
    let isSlow = true
    const slow: SharedTokenStore = {
      ...memory,
      async get(key) {
        const record = await memory.get(key)
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 200))
        return record
      },
    }
    const late = session({ store: slow, loginTimeoutMs: 1000, fetch: () => new Promise(() => {}) })
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('leaves')), 100)
    await expect(late.getToken({ signal: controller.signal })).rejects.toThrow('leaves')
    isSlow = false
    expect(await late.getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('log in once, where a login takes 0.6 of its time: 12 of them', async () => {
    const time = manualTime()
    const { clock } = time
    const slow: Fetch = async (input, init) => {
      await time.delay(9000)
      return fetch(input, init)
    }
    const options = { store: memoryTokenStore(clock), clock, fetch: slow }
    const { session, emulator } = await service(options)
    const tokens = Array.from({ length: 12 }, () => session().getToken())
    expect(new Set(await time.run(Promise.all(tokens))).size).toBe(1)
    expect(emulator.logins).toBe(1)
  })

  test('take the failure of the login that they waited for, and do not try each by itself', async () => {
    const time = manualTime()
    const { clock } = time
    let sent = 0
    const options = {
      store: memoryTokenStore(clock),
      clock,
      fetch: async (): Promise<Response> => {
        sent += 1
        await time.delay(5000)
        throw new TypeError('cut off')
      },
    }
    const { session } = await service(options)
    const outcomes = Array.from({ length: 6 }, () => session().getToken())
    const settled = await time.run(Promise.allSettled(outcomes))
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true)
    expect(sent).toBe(1)
  })

  test('of many users at once derive their keys outside of the time that a login has', async () => {
    const count = isNightly ? 30 : 16
    const users = Array.from({ length: count }, (_, n) => ({
      username: `user ${n}`,
      password: 'x',
    }))
    const { session, emulator } = await service({ store: memoryTokenStore() }, { users })
    const clock = (): number => Date.now()
    const tokens = users.map((credentials) =>
      // With keys as they are: each takes a processor for a while.
      session({ credentials, clock, loginTimeoutMs: 400 }).getToken(),
    )
    expect(new Set(await Promise.all(tokens)).size).toBe(count)
    expect(emulator.logins).toBe(count)
  })
})

const wrongPassword = { ...primary, password: 'wrong' }

/** A store whose locks keep nobody out. */
function withoutLocks(store: SharedTokenStore): SharedTokenStore {
  return { ...store, lock: async () => Number.MAX_SAFE_INTEGER }
}
