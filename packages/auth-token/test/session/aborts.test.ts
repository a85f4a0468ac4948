import { describe, expect, test } from 'vitest'
import { authFetch, createTokenAuth, type SharedTokenStore, type TokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { loginRequests, primary, service, until } from '../support/service.ts'
import { manualTime, withCheapSeals } from '../support/time.ts'
import type { Timers } from '../testing.ts'

describe('an abort', () => {
  test('before the call rejects with its reason, and no login is made', async () => {
    const attempt = await service()
    const signal = AbortSignal.abort('changed my mind')
    await expect(attempt.auth.getToken({ signal })).rejects.toBe('changed my mind')
    await expect(attempt.fetch(attempt.groups, { signal })).rejects.toBe('changed my mind')
    expect(loginRequests(attempt)).toBe(0)
  })

  test('of one waiter rejects at once and disturbs nobody else', async () => {
    const { fetch, groups, emulator } = await service()
    emulator.fault({ path: '/user/login', latencyMs: 100 })
    const controller = new AbortController()
    const leaving = fetch(groups, { signal: controller.signal })
    const staying = fetch(groups)
    const reason = new Error('leaving')
    controller.abort(reason)
    await expect(leaving).rejects.toBe(reason)
    expect(emulator.logins).toBe(0)
    expect((await staying).status).toBe(200)
    expect(emulator.logins).toBe(1)
  })

  test('of all waiters lets the login finish, and its token is used', async () => {
    const { auth, emulator } = await service()
    emulator.fault({ path: '/user/login', latencyMs: 50, times: 1 })
    const controller = new AbortController()
    const waiters = Array.from({ length: 3 }, () => auth.getToken({ signal: controller.signal }))
    controller.abort(new Error('all leave'))
    await Promise.allSettled(waiters)
    expect(await auth.getToken()).toMatch(/^eyJ/)
    expect(emulator.logins).toBe(1)
  })

  test('of all waiters of a login that fails is no unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const collect = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', collect)
    const { auth, emulator } = await service()
    emulator.fault({ path: '/user/login', drop: true })
    const controller = new AbortController()
    const waiter = auth.getToken({ signal: controller.signal })
    controller.abort(new Error('leaves'))
    await expect(waiter).rejects.toThrow('leaves')
    await expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_NETWORK' })
    await new Promise(setImmediate)
    process.off('unhandledRejection', collect)
    expect(unhandled).toEqual([])
  })
})

describe('invalidate', () => {
  test('ends a login that has just begun, and leaves one token', async () => {
    const { auth, emulator } = await service()
    const waiting = auth.getToken()
    void auth.invalidate()
    const token = await auth.getToken()
    expect(await waiting).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('by the credentials function itself lets everything else go on, and an abort end it', async () => {
    const { session } = await service()
    const auth: TokenAuth = session({
      credentials: async () => {
        void auth.invalidate()
        return primary
      },
    })
    await auth.getToken()
    await auth.invalidate()
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('gives up')), 20)
    await expect(auth.getToken({ signal: controller.signal })).rejects.toThrow('gives up')
  })

  test('ends a login that is under way, and who waits for it gets the next one’s token', async () => {
    const { auth, emulator } = await service()
    emulator.fault({ path: '/user/login', latencyMs: 60_000, times: 1 })
    const waiting = auth.getToken()
    await until(() => emulator.requests.length === 1)
    await auth.invalidate()
    const token = await auth.getToken()
    expect(await waiting).toBe(token)
    expect(auth.inspect().generation).toBe(1)
  })

  test('ends a renewal that is under way, and no login follows by itself', async () => {
    const { auth, emulator, fetch, groups, time } = await service()
    await auth.getToken()
    time.now += 24 * 3_600_000 - 300_000
    emulator.fault({ path: '/user/login', latencyMs: 60_000, times: 1 })
    await fetch(groups)
    await until(() => emulator.requests.length === 3)
    await auth.invalidate()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(auth.inspect().state).toBe('empty')
    expect(emulator.requests).toHaveLength(3)
  })
})

describe('a login of a request that has gone, which never settles in workerd', () => {
  test('is replaced by a later waiter, two seconds after its last sign of life', async () => {
    const time = manualTime()
    let calls = 0
    let request = 'first'
    let hasGone = false
    // As in workerd, timers end with the request that they are of.
    const timers: Timers = {
      now: () => time.timers.now(),
      after(ms, callback) {
        const own = request
        return time.timers.after(ms, () => {
          if (own === 'first' && hasGone) return
          request = own
          callback()
        })
      },
    }
    const auth = createTokenAuth({
      baseUrl: 'https://search.example.com',
      credentials: primary,
      clock: withCheapSeals(() => time.now, timers),
      fetch: () => {
        calls += 1
        return calls === 1
          ? new Promise(() => {})
          : Promise.resolve(Response.json({ Token: 'next' }))
      },
    })
    const dead = auth.getToken()
    dead.catch(() => {})
    await time.advance(500)
    hasGone = true
    request = 'second'
    const next = auth.getToken()
    await time.advance(1999)
    expect(calls).toBe(1)
    await time.advance(1)
    expect(await next).toBe('next')
    expect(calls).toBe(2)
  })

  test('is kept alive by waitUntil', async () => {
    const kept: Promise<unknown>[] = []
    const { auth } = await service({ waitUntil: (promise) => kept.push(promise) })
    await auth.getToken()
    expect(kept).toHaveLength(1)
    await expect(kept[0]).resolves.toBeUndefined()
  })

  test('is kept alive by waitUntil until the lock of its store is free', async () => {
    const store = memoryTokenStore()
    const freed: string[] = []
    const slow: SharedTokenStore = {
      ...store,
      async unlock(key, owner) {
        await new Promise(setImmediate)
        await store.unlock(key, owner)
        freed.push(owner)
      },
    }
    const kept: Promise<unknown>[] = []
    const { auth } = await service({ store: slow, waitUntil: (promise) => kept.push(promise) })
    await auth.getToken()
    await Promise.all(kept)
    expect(freed).toHaveLength(1)
  })
})

test('a fetch of the caller is asked for logins, unbound', async () => {
  const receivers: unknown[] = []
  const auth = createTokenAuth({
    baseUrl: 'https://search.example.com',
    credentials: primary,
    async fetch(this: unknown) {
      receivers.push(this)
      return Response.json({ Token: 'token' })
    },
  })
  const send = authFetch(auth, { fetch: async () => new Response('ok') })
  expect(await (await send('https://search.example.com/user/groups')).text()).toBe('ok')
  expect(receivers).toEqual([undefined])
})
