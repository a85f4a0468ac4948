import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { createTokenAuth, forgetSessions, type TokenAuth } from '@svc/auth-token'
import { version } from '../testing.ts'

afterEach(forgetSessions)

const name = Symbol.for(`svc-auth.sessions.${version}`)
const hour = 3_600_000

/** Many users of a service that only logs in, at a time that the test decides. */
function crowd(options: { idleMs?: number } = {}) {
  const time = { now: 1_800_000_000_000 }
  const clock = (): number => time.now
  const logins: string[] = []
  const does = { hang: false, refuse: false }
  const service = (async (_input: string, init?: { body: string }) => {
    logins.push(JSON.parse(init?.body ?? '').Username)
    if (does.hang) await new Promise(() => {})
    if (does.refuse) return new Response(null, { status: 401 })
    return Response.json({ Token: `token-${logins.length}` })
  }) as typeof fetch
  const scheme = (username: string, own: { idleMs?: number } = {}): TokenAuth =>
    createTokenAuth({
      baseUrl: 'https://h.example',
      credentials: { username, password: 'password' },
      fetch: service,
      clock,
      ...options,
      ...own,
    })
  const loginsOf = (username: string): number => logins.filter((one) => one === username).length
  return { time, logins, loginsOf, does, scheme }
}

describe('the registry', () => {
  test('is one object of the global scope, which shows nothing', async () => {
    const { scheme } = crowd()
    await scheme('someone').getToken()
    const registry = Reflect.get(globalThis, name)
    expect(Object.getOwnPropertyDescriptor(globalThis, name)).toMatchObject({ enumerable: false })
    expect(Object.values(registry)).toEqual([expect.any(Function), expect.any(Function)])
    expect(registry.forget()).toBeUndefined()
  })

  test('bears the version that the manifest of the package has', () => {
    const manifest = new URL('../../package.json', import.meta.url)
    expect(JSON.parse(readFileSync(manifest, 'utf8')).version).toBe(version)
  })
})

describe('a session in the registry', () => {
  test('leaves one hour after its last use', async () => {
    const { time, loginsOf, scheme } = crowd()
    await scheme('someone').getToken()
    time.now += hour - 1
    await scheme('someone').getToken()
    expect(loginsOf('someone')).toBe(1)
    time.now += hour
    await scheme('someone').getToken()
    expect(loginsOf('someone')).toBe(2)
  })

  test('leaves as soon as idleMs says', async () => {
    const { time, loginsOf, scheme } = crowd({ idleMs: 5000 })
    await scheme('someone').getToken()
    time.now += 4999
    await scheme('someone').getToken()
    time.now += 5000
    await scheme('someone').getToken()
    expect(loginsOf('someone')).toBe(2)
  })

  test('that was invalidated after refusals leaves their number behind, whatever idleMs says', async () => {
    const { does, logins, scheme, time } = crowd({ idleMs: 0 })
    does.refuse = true
    for (let visit = 0; visit < 12; visit += 1) {
      const auth = scheme('someone')
      await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
      await auth.invalidate()
      time.now += 2000
    }
    expect(logins).toHaveLength(5)
  })

  test.each([0, 1000])(
    'that was refused stays as long as the refusal counts, whatever idleMs says (%d)',
    async (idleMs) => {
      const { does, logins, scheme, time } = crowd({ idleMs })
      does.refuse = true
      const startedAt = time.now
      const visit = async (everyMs: number, untilMs: number): Promise<void> => {
        for (; time.now < startedAt + untilMs; time.now += everyMs) {
          await expect(scheme('someone').getToken()).rejects.toMatchObject({ status: 401 })
        }
      }
      await visit(1500, hour / 6)
      expect(logins.length).toBeLessThanOrEqual(10)
      await visit(61_000, hour)
      expect(logins.length).toBeLessThanOrEqual(15)
    },
  )

  test('gives way to the one that took its place', async () => {
    const { time, scheme } = crowd()
    const auth = scheme('someone')
    await auth.getToken()
    time.now += 2 * hour
    const token = await scheme('someone').getToken()
    expect(await auth.getToken()).toBe(token)
  })

  test('stays as long as a request of it is under way', async () => {
    const { time, loginsOf, scheme } = crowd()
    const auth = scheme('someone')
    await auth.getToken()
    const headers = new Headers()
    const url = new URL('https://h.example/user/groups')
    const request = { method: 'GET', url, headers, body: undefined, attempt: 1 } as const
    const authorization = await auth.authorize({ ...request, reason: 'initial' })
    time.now += 3 * hour
    await scheme('someone').getToken()
    expect(loginsOf('someone')).toBe(1)
    authorization.abandon?.()
    time.now += hour
    await scheme('someone').getToken()
    expect(loginsOf('someone')).toBe(2)
  })

  test('leaves after its token, although nobody said that a request of it is over', async () => {
    const { time, loginsOf, scheme } = crowd()
    const auth = scheme('someone')
    const headers = new Headers()
    const url = new URL('https://h.example/user/groups')
    const request = { method: 'GET', url, headers, body: undefined, attempt: 1 } as const
    await auth.authorize({ ...request, reason: 'initial' })
    const token = await scheme('someone').getToken()
    time.now += 24 * hour
    await scheme('other').getToken()
    // Nobody holds the one that left.
    expect(scheme('someone').inspect()).toEqual({ state: 'empty', generation: 0 })
    expect(await scheme('someone').getToken()).not.toBe(token)
    expect(loginsOf('someone')).toBe(2)
  })

  test('makes room for others, if it was not used for longest, and leaves its refusals', async () => {
    const { does, loginsOf, scheme, time } = crowd()
    does.refuse = true
    await expect(scheme('nobody').getToken()).rejects.toThrow('401')
    does.refuse = false
    for (let index = 0; index < 5010; index += 1) {
      await scheme(`user ${index}`).getToken()
      time.now += 1
      if (index === 4000) await scheme('user 0').getToken()
    }
    time.now += 1000
    for (const index of [0, 5009, 100]) await scheme(`user ${index}`).getToken()
    expect([0, 5009, 100].map((index) => loginsOf(`user ${index}`))).toEqual([1, 1, 1])
    await scheme('user 1').getToken()
    expect(loginsOf('user 1')).toBe(2)
    does.refuse = true
    await expect(scheme('nobody').getToken()).rejects.toMatchObject({
      status: 401,
      retryAt: expect.any(Number),
    })
    expect(loginsOf('nobody')).toBe(1)
  })

  test('stays however many logins are refused after it', async () => {
    const { does, loginsOf, scheme, time } = crowd()
    await scheme('someone').getToken()
    does.refuse = true
    for (let index = 0; index < 5010; index += 1) {
      time.now += 1
      await expect(scheme(`guess ${index}`).getToken()).rejects.toMatchObject({ status: 401 })
    }
    time.now += 1000
    for (const _ of [1, 2]) await scheme('someone').getToken()
    expect(loginsOf('someone')).toBe(1)
  })

  test('has the pauses of all others of its login, whichever of them left before', async () => {
    const { does, logins, scheme, time } = crowd()
    const brief = { idleMs: 2000 }
    const lasting = scheme('someone')
    await scheme('someone', brief).getToken()
    await lasting.getToken()
    // The brief one leaves, and comes again.
    time.now += 5000
    await scheme('other').getToken()
    const later = scheme('someone', brief)
    await later.getToken()
    does.refuse = true
    const before = logins.length
    for (const auth of [lasting, later]) await auth.invalidate()
    await expect(lasting.getToken()).rejects.toMatchObject({ status: 401 })
    await expect(later.getToken()).rejects.toMatchObject({ status: 401 })
    expect(logins.length - before).toBe(1)
  })

  test('is not removed while in use, also beyond 5 000', async () => {
    const { does, logins, loginsOf, scheme } = crowd()
    does.hang = true
    for (let index = 0; index < 5000; index += 1)
      void scheme(`user ${index}`)
        .getToken()
        .catch(() => {})
    await new Promise(setImmediate)
    expect(logins).toHaveLength(5000)
    does.hang = false
    for (const _ of [1, 2]) await scheme('late').getToken()
    expect(loginsOf('late')).toBe(1)
    expect(scheme('user 0').inspect().state).toBe('logging-in')
  })
})
