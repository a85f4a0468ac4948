import { atNight } from '../../../../tests/support/nightly.ts'
import { createEmulator, defaultUsers, type EmulatorOptions } from '@svc/emulator'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  authFetch,
  createTokenAuth,
  forgetSessions,
  type TokenAuth,
  type TokenAuthOptions,
  type UserCredentials,
} from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { loginRequests, primary, until } from '../support/service.ts'
import { manualTime } from '../support/time.ts'

afterEach(forgetSessions)

/** A real service, and a maker of schemes as a request handler has one: everything but the service is new. */
async function handlers(emulatorOptions: EmulatorOptions = {}) {
  const emulator = createEmulator(emulatorOptions)
  const server = await emulator.listen()
  onTestFinished(() => server.close())
  const scheme = (options: Partial<TokenAuthOptions> = {}): TokenAuth =>
    createTokenAuth({ baseUrl: server.url, credentials: { ...primary }, ...options })
  const groups = new URL('/user/groups', server.url)
  const status = async (auth: TokenAuth): Promise<number> => {
    const response = await authFetch(auth)(groups)
    await response.text()
    return response.status
  }
  return { emulator, server, scheme, status, groups }
}

const twenty = Array.from({ length: 20 }, (_, index) => index)

describe('schemes for the same login', () => {
  test.each<[what: string, options: () => Partial<TokenAuthOptions>]>([
    ['the same credentials', () => ({})],
    ['a credentials function each', () => ({ credentials: async () => ({ ...primary }) })],
    ['a waitUntil each', () => ({ waitUntil: () => {} })],
    ['an observer each', () => ({ onEvent: () => {} })],
    ['other origins', () => ({ origins: ['https://mirror.example.com'] })],
  ])('with %s are one session: 20 handlers at once, 1 login', async (_what, options) => {
    const { emulator, scheme, status } = await handlers()
    const statuses = await Promise.all(twenty.map(() => status(scheme(options()))))
    expect(statuses).toEqual(twenty.map(() => 200))
    expect(emulator.logins).toBe(1)
    for (const _ of twenty) expect(await status(scheme(options()))).toBe(200)
    expect(emulator.logins).toBe(1)
  })

  test.each<[what: string, options: Partial<TokenAuthOptions>]>([
    ['no unique session', { uniqueSession: false }],
    ['another time of renewal', { renewBeforeMs: 1000 }],
    ['another time limit', { loginTimeoutMs: 1000 }],
    ['another idle time', { idleMs: 1000 }],
    ['other statuses', { rejectedStatuses: [401, 403] }],
    ['a store', { store: memoryTokenStore() }],
    ['a session of their own', { session: 'own' }],
    ['another fetch', { fetch: (input, init) => fetch(input, init) }],
    ['another clock', { clock: () => Date.now() }],
    ['other random numbers', { random: () => 0 }],
  ])('but with %s are two', async (_what, options) => {
    const { emulator, scheme } = await handlers({ uniqueSessionEndsOthers: false })
    const one = await scheme().getToken()
    expect(await scheme(options).getToken()).not.toBe(one)
    expect(await scheme().getToken()).toBe(one)
    expect(emulator.logins).toBe(2)
  })

  test('with the header names of two vendors are two', async () => {
    const { scheme } = await handlers()
    await scheme().getToken()
    await expect(scheme({ vendorPrefix: 'acme' }).getToken()).rejects.toThrow('400')
  })

  test('share one that has the same functions, and those alone', async () => {
    const { emulator, scheme } = await handlers({ uniqueSessionEndsOthers: false })
    const given = {
      fetch: ((input, init) => fetch(input, init)) satisfies typeof fetch,
      clock: () => Date.now(),
      random: () => 0,
    }
    await Promise.all(twenty.map(() => scheme(given).getToken()))
    expect(emulator.logins).toBe(1)
    await scheme({ ...given, random: () => 0.5 }).getToken()
    expect(emulator.logins).toBe(2)
    await scheme(given).getToken()
    expect(emulator.logins).toBe(2)
  })
})

describe('visitors of one server', () => {
  test('with the same name and different passwords never share a session', async () => {
    const { emulator, scheme, status } = await handlers()
    const right = scheme()
    const wrong = scheme({ credentials: { ...primary, password: 'wrong' } })
    expect(await status(right)).toBe(200)
    await expect(status(wrong)).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_REFUSED' })
    await expect(wrong.getToken()).rejects.toMatchObject({ status: 401 })
    expect(await status(scheme())).toBe(200)
    expect(loginRequests({ emulator })).toBe(2)
  })

  test('are told apart by primary account, name and password, whatever characters they have', async () => {
    const tricky = ['a', 'a"', 'a","b', 'a\\', 'nil', '[]', 'a\u0000', 'ä', 'a\u0308', '\ud800']
    const accounts: UserCredentials[] = tricky.flatMap((username) =>
      tricky.flatMap((password) => [
        { username, password },
        { username, password, parentUid: 'null' },
        { username, password, parentUid: username },
      ]),
    )
    const tokens = new Set<string>()
    const service = (async (_input: unknown, init?: { body: string }) =>
      Response.json({
        Token: Buffer.from(init?.body ?? '').toString('base64url'),
      })) as typeof fetch
    for (const _ of [1, 2]) {
      for (const credentials of accounts) {
        const auth = createTokenAuth({ baseUrl: 'https://h.example', credentials, fetch: service })
        tokens.add(await auth.getToken())
      }
    }
    expect(tokens.size).toBe(accounts.length)
  })

  const many = atNight(2000, 300)
  test(`${many} of them get each their own groups`, { timeout: 120_000 }, async () => {
    const users = Array.from({ length: many }, (_, index) => ({
      username: `user ${index}`,
      password: `password ${index}`,
      groups: [{ id: `${index}`, name: `group ${index}`, permissions: [] }],
    }))
    const emulator = createEmulator({ users, maxRecordedRequests: 1 })
    const service: typeof fetch = (input, init) => emulator.fetch(new Request(input, init))
    const names = async (credentials: UserCredentials): Promise<string> => {
      const auth = createTokenAuth({ baseUrl: 'http://localhost', credentials, fetch: service })
      const send = authFetch(auth, { fetch: service })
      return (await send('http://localhost/user/groups')).text()
    }
    const visits = [...users, ...users.toReversed()]
    const responses = await Promise.all(visits.map(names))
    for (const [index, { groups }] of visits.entries()) {
      expect(responses[index]).toContain(`"${groups[0]?.name}"`)
    }
    expect(emulator.logins).toBe(users.length)
  })

  test('who change their password while sessions live get the token of their own', async () => {
    const password = { now: 'old' }
    let logins = 0
    const service = (async (input: string, init?: { body: string }) => {
      if (!input.endsWith('/login')) return new Response(null, { status: 200 })
      logins += 1
      const { Password } = JSON.parse(init?.body ?? '')
      if (Password !== password.now) return new Response(null, { status: 401 })
      return Response.json({ Token: `token-${Password}` })
    }) as typeof fetch
    const scheme = (given: string): TokenAuth =>
      createTokenAuth({
        baseUrl: 'https://h.example',
        credentials: { ...primary, password: given },
        fetch: service,
      })
    const before = scheme('old')
    expect(await before.getToken()).toBe('token-old')
    password.now = 'new'
    expect(await scheme('new').getToken()).toBe('token-new')
    expect(await before.getToken()).toBe('token-old')
    await before.invalidate()
    await expect(before.getToken()).rejects.toMatchObject({ status: 401 })
    await expect(scheme('old').getToken()).rejects.toMatchObject({ status: 401 })
    expect(await scheme('new').getToken()).toBe('token-new')
    expect(logins).toBe(3)
  })
})

describe('a credentials function', () => {
  test('is called before the first request of its scheme, and when the session has to log in', async () => {
    const { emulator, scheme, status } = await handlers()
    let calls = 0
    const credentials = (): UserCredentials => {
      calls += 1
      return primary
    }
    const schemes = twenty.map(() => scheme({ credentials }))
    await Promise.all(schemes.map(status))
    expect([calls, emulator.logins]).toEqual([20, 1])
    await Promise.all(schemes.map(status))
    expect([calls, emulator.logins]).toEqual([20, 1])
    emulator.revokeTokens()
    expect(await status(schemes[0] as TokenAuth)).toBe(200)
    expect([calls, emulator.logins]).toEqual([21, 2])
  })

  test('is called once for all who ask its scheme at once', async () => {
    const { scheme } = await handlers()
    let calls = 0
    const auth = scheme({
      credentials: async () => {
        calls += 1
        await new Promise((resolve) => setTimeout(resolve, 20))
        return primary
      },
    })
    await Promise.all(twenty.map(() => auth.getToken()))
    expect(calls).toBe(1)
  })

  test('that returns others takes its scheme to their session, and leaves the rest', async () => {
    const { emulator, scheme, status } = await handlers()
    let own: UserCredentials = primary
    const moving = scheme({ credentials: () => own })
    const staying = scheme()
    await Promise.all([status(moving), status(staying)])
    own = defaultUsers[1]
    // Its session has a token, so nobody asks.
    expect(await moving.getToken()).toBe(await staying.getToken())
    await moving.invalidate()
    const token = await moving.getToken()
    expect(token).not.toBe(await staying.getToken())
    expect(token).toBe(await scheme({ credentials: defaultUsers[1] }).getToken())
    expect(emulator.logins).toBe(3)
  })

  test('that fails, or returns nonsense, fails its own scheme alone', async () => {
    const { scheme, status } = await handlers()
    const failing = scheme({ credentials: () => Promise.reject(new Error('no vault')) })
    const odd = scheme({ credentials: () => ({ ...primary, password: '' }) })
    const fine = scheme({ credentials: () => primary })
    const results = await Promise.allSettled([failing, odd, fine].map((auth) => status(auth)))
    expect(
      results.map((result) => ('value' in result ? result.value : result.reason.code)),
    ).toEqual(['ERR_AUTH_CREDENTIALS', 'ERR_AUTH_CREDENTIALS', 200])
  })

  test('that returns others while its scheme moves takes it on, and never without an end', async () => {
    const users = ['a', 'b', 'c'].map((username) => ({ username, password: 'a password' }))
    const [a, b, c] = users as [UserCredentials, UserCredentials, UserCredentials]
    const { scheme } = await handlers({ users })
    let respond = (_given: UserCredentials): void => {}
    const slow = new Promise<UserCredentials>((resolve) => (respond = resolve))
    const ofFirst = [b, slow]
    const first = scheme({ credentials: async () => ofFirst.shift() ?? a })
    const ofSecond = [a, b]
    const second = scheme({ credentials: () => ofSecond.shift() ?? c })
    for (const auth of [first, second]) {
      await auth.getToken()
      await auth.invalidate()
    }
    const tokens = [first.getToken(), second.getToken()]
    await until(() => ofSecond.length === 0)
    respond(a)
    await Promise.all(tokens)
    expect(await second.getToken()).toBe(await scheme({ credentials: c }).getToken())
  })

  test('that hangs once is called again, once its time is up', async () => {
    const time = manualTime()
    let calls = 0
    const auth = createTokenAuth({
      baseUrl: 'https://h.example',
      clock: time.clock,
      fetch: async () => Response.json({ Token: 'token' }),
      credentials: async () => {
        calls += 1
        if (calls === 1) await new Promise(() => {})
        return primary
      },
    })
    await Promise.all([
      expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_LOGIN_TIMEOUT' }),
      time.advance(15_000),
    ])
    expect(await auth.getToken()).toBe('token')
    expect(calls).toBe(2)
  })

  test('whose new password is refused keeps the token that is still good', async () => {
    const time = { now: 1_800_000_000_000 }
    const clock = (): number => time.now
    let password = 'right'
    const sent: string[] = []
    const service = (async (_input: string, init?: { body: string }) => {
      const { Password } = JSON.parse(init?.body ?? '')
      sent.push(Password)
      if (Password === 'typo') return new Response(null, { status: 401 })
      return Response.json({ Token: `token-${sent.length}` })
    }) as typeof fetch
    const auth = createTokenAuth({
      baseUrl: 'https://h.example',
      credentials: () => ({ ...primary, password }),
      fetch: service,
      clock,
      random: () => 0,
    })
    expect(await auth.getToken()).toBe('token-1')
    password = 'typo'
    time.now += 24 * 3_600_000 - 300_000
    for (let call = 0; call < 50; call += 1) {
      expect(await auth.getToken()).toBe('token-1')
      time.now += 1000
      await new Promise(setImmediate)
    }
    // The pause of the mistyped password holds.
    expect(sent).toEqual(['right', 'typo', 'typo'])
    password = 'renewed'
    await until(() => {
      time.now += 1000
      auth.getToken().catch(() => {})
      return sent.includes('renewed')
    })
    await until(() => auth.inspect().generation === 1 && sent.at(-1) === 'renewed')
    expect(await auth.getToken()).toBe(`token-${sent.length}`)
  })
})

describe('an observer', () => {
  test('hears of what its own scheme did', async () => {
    const { scheme, status } = await handlers()
    const heard = twenty.map((): string[] => [])
    const schemes = heard.map((types) => scheme({ onEvent: ({ type }) => types.push(type) }))
    await Promise.all(schemes.map(status))
    expect(heard.flat().filter((type) => type === 'login.ok')).toHaveLength(1)
    expect(heard[0]).toEqual(['login.start', 'login.ok'])
    await status(schemes[7] as TokenAuth)
    expect(heard[7]).toEqual(['token.reused'])
    await (schemes[9] as TokenAuth).invalidate()
    expect(heard[9]).toEqual(['token.invalidated'])
    await status(schemes[3] as TokenAuth)
    expect(heard[3]).toEqual(['login.start', 'login.ok'])
    expect(heard[0]).toEqual(['login.start', 'login.ok'])
  })

  test('hears of the login that follows one that was given up', async () => {
    const { scheme } = await handlers()
    const heard: string[] = []
    const auth = scheme({ onEvent: ({ type }) => heard.push(type) })
    const first = auth.getToken()
    await until(() => heard.length === 1)
    await auth.invalidate()
    await auth.getToken()
    await first
    expect(heard).toEqual(['login.start', 'token.invalidated', 'login.start', 'login.ok'])
  })

  test('hears of the refusal that its own request met', async () => {
    const { emulator, scheme, status } = await handlers()
    const heard: [string[], string[]] = [[], []]
    const [one, other] = heard.map((types) => scheme({ onEvent: ({ type }) => types.push(type) }))
    await status(one as TokenAuth)
    emulator.revokeTokens()
    await status(other as TokenAuth)
    expect(heard[0]).toEqual(['login.start', 'login.ok'])
    expect(heard[1]).toEqual(['token.reused', 'token.rejected', 'login.start', 'login.ok'])
  })
})

describe('invalidate()', () => {
  test('drops the token that its scheme was given, and no newer one', async () => {
    const { emulator, scheme } = await handlers()
    const [one, other, late] = [scheme(), scheme(), scheme()]
    const first = await one.getToken()
    await Promise.all([other.getToken(), late.getToken()])
    await one.invalidate()
    const second = await one.getToken()
    expect(second).not.toBe(first)
    await other.invalidate()
    await late.invalidate()
    expect(await other.getToken()).toBe(second)
    await other.invalidate()
    expect(await one.getToken()).not.toBe(second)
    expect(emulator.logins).toBe(3)
  })

  test('of a scheme that was given no token drops none', async () => {
    const { emulator, scheme } = await handlers()
    const token = await scheme().getToken()
    const fresh = scheme()
    await fresh.invalidate()
    expect(await fresh.getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test('ends the pauses of the first four refusals in a row, and no later one', async () => {
    const { emulator, scheme } = await handlers()
    const credentials = { ...primary, password: 'wrong' }
    for (const _ of twenty) {
      const auth = scheme({ credentials })
      await auth.invalidate()
      await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
    }
    expect(loginRequests({ emulator })).toBe(5)
  })

  test.each([401, 403])('of schemes that meet a %i each locks no account out', async (status) => {
    const time = { now: 1_800_000_000_000 }
    const clock = (): number => time.now
    const does = { status }
    let sent = 0
    const refusing = (async () => {
      sent += 1
      return new Response('{"Token":"token"}', { status: does.status })
    }) as typeof fetch
    const handler = (): TokenAuth =>
      createTokenAuth({
        baseUrl: 'https://h.example',
        credentials: { ...primary, password: 'wrong' },
        fetch: refusing,
        clock,
      })
    const tries = async (everyMs: number, untilMs: number): Promise<void> => {
      for (; time.now < 1_800_000_000_000 + untilMs; time.now += everyMs) {
        const auth = handler()
        await expect(auth.getToken()).rejects.toMatchObject({ status })
        await auth.invalidate()
        await expect(auth.getToken()).rejects.toMatchObject({ status })
      }
    }
    await tries(2000, 600_000)
    expect(sent).toBeLessThanOrEqual(10)
    await tries(10_000, 3_600_000)
    expect(sent).toBeLessThanOrEqual(15)
  })
})

describe('a session of its own', () => {
  test('logs in for itself, so that it checks a password', async () => {
    const { emulator, scheme } = await handlers({ uniqueSessionEndsOthers: false })
    await scheme().getToken()
    await scheme({ session: 'own' }).getToken()
    await scheme({ session: 'own' }).getToken()
    expect(emulator.logins).toBe(3)
  })

  test('keeps its pause although its credentials change to and fro', async () => {
    const { emulator, scheme } = await handlers()
    let turn = 0
    const auth = scheme({
      session: 'own',
      credentials: () => ({ ...primary, password: `wrong ${(turn += 1) % 2}` }),
    })
    for (const _ of twenty) await expect(auth.getToken()).rejects.toMatchObject({ status: 401 })
    expect(loginRequests({ emulator })).toBe(2)
  })
})

describe('forgetSessions()', () => {
  test('forgets tokens and pauses, as where another service takes over an address', async () => {
    const first = await createEmulator({ users: [] }).listen()
    const port = Number(first.url.port)
    const credentials = { ...primary }
    const scheme = (): TokenAuth => createTokenAuth({ baseUrl: first.url, credentials })
    const held = scheme()
    await expect(held.getToken()).rejects.toMatchObject({ retryAt: expect.any(Number) })
    await first.close()
    const emulator = createEmulator()
    const second = await emulator.listen({ port })
    onTestFinished(() => second.close())
    await expect(scheme().getToken()).rejects.toMatchObject({ retryAt: expect.any(Number) })
    forgetSessions()
    const token = await scheme().getToken()
    expect(await held.getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })
})
