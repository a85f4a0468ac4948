import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { describe, expect, test } from 'vitest'
import { startProvider } from '../../sign-in/support/provider.ts'
import { deny, failure, userOf, withCode } from '../../sign-in/support/sessions.ts'

const denied = withCode('ERR_AUTH_SIGN_IN_DENIED')
const tooLate = withCode('ERR_AUTH_SIGN_IN_TIMEOUT')

async function setUp() {
  const server = await startProvider()
  return { server, ...userOf(server.issuer) }
}

describe('a user is asked', () => {
  test('by a server that fails at once, and nothing is left unhandled while a store reads', async () => {
    const { session, time } = await setUp()
    const memory = memoryTokenStore(time.clock)
    let reads = 0
    const store = sharedTokenStore({
      ...memory,
      async get(key) {
        reads += 1
        // Its slowest read comes while the user is asked.
        for (let turn = 0; turn < reads * 20; turn += 1) await Promise.resolve()
        return memory.get(key)
      },
    })
    const fetch = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'))
    const call = time.run(session({ store, fetch, sealedWith: 's' }).getToken())
    await expect(call).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_AUTH_/) })
  })

  test('once by five sessions at a time, of which four wait and say so', async () => {
    const { session, shown, time, types, server } = await setUp()
    let waits = 0
    const all = Array.from({ length: 5 }, () => session({ onWait: () => (waits += 1) }))
    const tokens = await time.run(Promise.all(all.map((auth) => auth.getToken())))
    expect(new Set(tokens).size).toBe(1)
    expect(shown).toHaveLength(1)
    expect(waits).toBe(4)
    expect(types().filter((type) => type === 'sign-in.asked')).toHaveLength(1)
    expect(types().filter((type) => type === 'sign-in.waiting')).toHaveLength(4)
    expect(server.count('/device/auth')).toBe(1)
  })

  test('not at all where the store has a token, or a refresh token', async () => {
    const { session, shown, time, expire } = await setUp()
    const token = await time.run(session().getToken())
    expect(await time.run(session().getToken())).toBe(token)
    await expire()
    expect(await time.run(session().getToken())).not.toBe(token)
    expect(shown).toHaveLength(1)
  })

  test('once where the refresh is refused while four wait for it', async () => {
    const { session, shown, time, expire, server } = await setUp()
    const all = Array.from({ length: 5 }, () => session())
    const [token = ''] = await time.run(Promise.all(all.map((auth) => auth.getToken())))
    await server.end(token)
    await expire()
    const tokens = await time.run(Promise.all(all.map((auth) => auth.getToken())))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).not.toBe(token)
    expect(shown).toHaveLength(2)
    // Besides the pending ones of the device flow, of which none comes while the user acts at once.
    expect(server.count('/token', 400)).toBe(1)
    expect(server.revoked).toEqual([])
  })

  test('again where the sign-in gave no refresh token, once the token has run out', async () => {
    const { session, shown, time, expire } = await setUp()
    const auth = session({ scope: 'openid' })
    const token = await time.run(auth.getToken())
    await time.advance(550_000)
    expect(await time.run(auth.getToken())).toBe(token)
    expect(shown).toHaveLength(1)
    await expire()
    expect(await time.run(auth.getToken())).not.toBe(token)
    expect(shown).toHaveLength(2)
  })

  test('only once the token has run out, where the server has ended the sign-in before', async () => {
    const { session, shown, time, server, events, types, until } = await setUp()
    const auth = session()
    const token = await time.run(auth.getToken())
    await server.end(token)
    await time.advance(500_000)
    expect(await time.run(auth.getToken())).toBe(token)
    const needed = { type: 'login.failed', code: 'ERR_AUTH_SIGN_IN_NEEDED' }
    await until(() => types().at(-1) === 'login.paused')
    expect(events).toContainEqual(expect.objectContaining(needed))
    expect(shown).toHaveLength(1)
    await time.advance(100_000)
    expect(await time.run(auth.getToken())).not.toBe(token)
    expect(shown).toHaveLength(2)
  })

  test('where the record is damaged', async () => {
    const { session, shown, time, shared } = await setUp()
    const sealedWith = 'a secret'
    await time.run(session({ sealedWith }).getToken())
    const damaged = sharedTokenStore({
      ...shared,
      async get(key) {
        const record = await shared.get(key)
        return record?.generation === 1 ? { ...record, sealed: 'AAAA' } : record
      },
    })
    await time.run(session({ store: damaged, sealedWith }).getToken())
    await time.run(session({ store: damaged, sealedWith }).getToken())
    expect(shown).toHaveLength(2)
  })

  test('where the response of a refresh is lost', async () => {
    const { session, shown, time, expire, server } = await setUp()
    const [one, other] = [session(), session()]
    await time.run(one.getToken())
    await time.run(other.getToken())
    await expire()
    // The response breaks off once the server has exchanged the refresh token.
    server.world.cutOff = true
    const token = await time.run(one.getToken())
    expect(await time.run(other.getToken())).toBe(token)
    expect(shown).toHaveLength(2)
    await expire()
    expect(await time.run(other.getToken())).not.toBe(token)
    expect(shown).toHaveLength(2)
    expect(server.revoked).toEqual([])
  })

  test('not where the server takes the refresh token any number of times, and a response is lost', async () => {
    const { session, shown, time, expire, server, user } = await setUp()
    const auth = session({ rotation: 'none' })
    await time.run(auth.getToken())
    await expire()
    let cuts = 0
    server.world.intercept = ({ url }, response) => {
      if (url !== '/token' || cuts > 0) return false
      cuts += 1
      response.destroy()
      return true
    }
    user.act = () => {}
    expect(await time.run(failure(auth))).toEqual(withCode('ERR_AUTH_LOGIN_NETWORK'))
    expect(await time.run(auth.getToken())).toMatch(/./)
    expect(shown).toHaveLength(1)
  })

  test('once where the store does not take what came of it, until it does', async () => {
    const { session, shown, time, shared, expire, until } = await setUp()
    const sealedWith = 'a secret'
    let isAway = true
    let writes = 0
    const flaky = sharedTokenStore({
      ...shared,
      async compareAndSwap(...given) {
        writes += 1
        if (isAway) throw new Error('away')
        return shared.compareAndSwap(...given)
      },
    })
    const auth = session({ store: flaky, sealedWith })
    const token = await time.run(auth.getToken())
    expect(auth.inspect()).toMatchObject({ state: 'valid', unstored: true })
    // It is written a few times more.
    await until(() => writes === 4, 100)
    isAway = false
    // It is offered again at the next use.
    expect(await time.run(auth.getToken())).toBe(token)
    await until(() => auth.inspect().unstored === undefined)
    expect(auth.inspect()).not.toHaveProperty('unstored')
    expect(await time.run(session({ store: flaky, sealedWith }).getToken())).toBe(token)
    await expire()
    expect(await time.run(auth.getToken())).not.toBe(token)
    expect(shown).toHaveLength(1)
  })

  test('not where the store is away', async () => {
    const { session, shown, time } = await setUp()
    const away = async (): Promise<never> => {
      throw new Error('away')
    }
    const store = sharedTokenStore({ get: away, compareAndSwap: away, lock: away, unlock: away })
    const error = await time.run(failure(session({ store, sealedWith: 'a secret' })))
    expect(error).toEqual(withCode('ERR_AUTH_STORE'))
    expect(shown).toEqual([])
  })

  test('for each account of its own', async () => {
    const { session, shown, time } = await setUp()
    const one = await time.run(session({ account: 'one' }).getToken())
    const other = await time.run(session({ account: 'other' }).getToken())
    expect(other).not.toBe(one)
    expect(shown).toHaveLength(2)
  })
})

describe('a user who denies', () => {
  test('is asked no more by those who waited, until the pause is over', async () => {
    const { session, shown, time, user, server } = await setUp()
    user.act = deny
    const all = Array.from({ length: 4 }, () => session())
    const errors = await time.run(Promise.all(all.map((auth) => failure(auth))))
    expect(errors).toEqual([denied, denied, denied, denied])
    expect(shown).toHaveLength(1)
    expect(await time.run(failure(session()))).toEqual(denied)
    expect(await time.run(failure(all[1] ?? session()))).toMatchObject({
      retryAt: expect.any(Number),
    })
    expect(shown).toHaveLength(1)
    expect(server.count('/device/auth')).toBe(1)
    await time.advance(30_000)
    expect(await time.run(failure(session()))).toEqual(denied)
    expect(shown).toHaveLength(2)
    // The second pause is longer.
    await time.advance(31_000)
    expect(await time.run(failure(session()))).toEqual(denied)
    expect(shown).toHaveLength(2)
  })

  test('is asked anew once the program wants it', async () => {
    const { session, shown, time, user, approve } = await setUp()
    user.act = deny
    const auth = session()
    expect(await time.run(failure(auth))).toEqual(denied)
    user.act = approve
    await auth.invalidate()
    await time.run(auth.getToken())
    expect(shown).toHaveLength(2)
  })

  test('is asked anew by another process that wants it before its first call, and by no other', async () => {
    const { session, shown, time, user, approve } = await setUp()
    user.act = deny
    expect(await time.run(failure(session()))).toEqual(denied)
    user.act = approve
    const [next, other] = [session(), session()]
    await next.invalidate()
    expect(await time.run(failure(other))).toEqual(denied)
    const token = await time.run(next.getToken())
    expect(shown).toHaveLength(2)
    // Where there is no pause, nothing is dropped.
    const last = session()
    await last.invalidate()
    expect(await time.run(last.getToken())).toBe(token)
    expect(shown).toHaveLength(2)
  })

  test('again is not asked once more by the process that wanted it once', async () => {
    const { session, shown, time, user } = await setUp()
    user.act = deny
    await time.run(failure(session()))
    const next = session()
    await next.invalidate()
    expect(await time.run(failure(next))).toEqual(denied)
    expect(await time.run(failure(next))).toEqual(denied)
    expect(await time.run(failure(session()))).toEqual(denied)
    expect(shown).toHaveLength(2)
  })

  test('five times in a row is asked no more, whatever another process wants', async () => {
    const { session, shown, time, user } = await setUp()
    user.act = deny
    for (let process = 1; process <= 7; process += 1) {
      const auth = session()
      await auth.invalidate()
      expect(await time.run(failure(auth))).toEqual(denied)
      expect(shown).toHaveLength(Math.min(process, 5))
    }
  })
})

describe('a sign-in that nobody finishes', () => {
  test('ends with its deadline for all who wait, and is not begun again at once', async () => {
    const { session, shown, time, user, approve } = await setUp()
    user.act = () => {}
    const all = Array.from({ length: 3 }, () => session({ timeoutMs: 60_000 }))
    const startedAt = time.now
    const errors = await time.run(Promise.all(all.map((auth) => failure(auth))))
    expect(errors).toEqual([tooLate, tooLate, tooLate])
    expect(time.now - startedAt).toBeLessThan(62_000)
    expect(await time.run(failure(session({ timeoutMs: 60_000 })))).toEqual(tooLate)
    expect(shown).toHaveLength(1)
    user.act = approve
    const next = session({ timeoutMs: 60_000 })
    await next.invalidate()
    await time.run(next.getToken())
    expect(shown).toHaveLength(2)
  })

  test('ends with the signal of the program, and leaves the next one to ask', async () => {
    const { session, shown, time, user, approve, until } = await setUp()
    user.act = () => {}
    const controller = new AbortController()
    const first = failure(session({ signal: controller.signal }))
    await until(() => shown.length === 1)
    const second = session().getToken()
    await time.advance(1000)
    expect(shown).toHaveLength(1)
    user.act = approve
    controller.abort('enough')
    expect(await time.run(first)).toBe('enough')
    await time.run(second)
    expect(shown).toHaveLength(2)
    // An aborted program asks no more.
    expect(await time.run(failure(session({ signal: controller.signal, account: 'x' })))).toBe(
      'enough',
    )
    expect(shown).toHaveLength(2)
  })

  test('is given up once nobody waits for it', async () => {
    const { session, shown, time, user, until } = await setUp()
    user.act = () => {}
    const controller = new AbortController()
    const auth = session()
    const call = auth.getToken({ signal: controller.signal }).catch((error: unknown) => error)
    await until(() => shown.length === 1)
    controller.abort('gone')
    expect(await call).toBe('gone')
    await time.advance(5000)
    expect(auth.inspect().state).toBe('empty')
    expect(shown).toHaveLength(1)
    expect(time.waiting).toBe(0)
  })
})
