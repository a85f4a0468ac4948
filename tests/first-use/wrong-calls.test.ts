import { inspect } from 'node:util'
import { AuthError, authFetch } from '@svc/auth-hooks'
import { createSigV4Auth } from '@svc/auth-sigv4'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { createTokenAuth } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { createEmulator, defaultApiKeys, defaultUsers } from '@svc/emulator'
import { createRouteAuthSelector } from '@svc/route-auth-selector'
import { describe, expect, test } from 'vitest'
import { apiKey, baseUrl, lateCalls, sigv4, token, user, wrongCalls } from './wrong-calls.ts'

async function failureOf(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : ''
}

function expectNoSecret(error: unknown): void {
  const shown = inspect(error, { showHidden: true, depth: 10 })
  for (const secret of [user.password, apiKey.secretAccessKey]) expect(shown).not.toContain(secret)
}

describe('a wrong call of a newcomer', () => {
  test('is one of at least 72, at most 3 of which are told at the first request', () => {
    expect(wrongCalls.length + lateCalls.length).toBeGreaterThanOrEqual(72)
    expect(lateCalls.length).toBeLessThanOrEqual(3)
    const calls = [...wrongCalls, ...lateCalls].map(({ call }) => call)
    expect(calls.filter((call, index) => calls.indexOf(call) !== index)).toEqual([])
  })

  test.each(wrongCalls)('is told at once what is wrong and what to do: $call', async (wrong) => {
    const error = await failureOf(wrong.run)
    expect(error).toBeInstanceOf(TypeError)
    expect(messageOf(error)).toMatch(/^\[@svc\/[a-z\d-]+\] \w+: \S/)
    for (const words of wrong.words) expect(messageOf(error)).toContain(words)
    expectNoSecret(error)
  })

  test.each(lateCalls)('is told at the first request: $call', async ({ run, words }) => {
    const error = await failureOf(run)
    expect(AuthError.is(error)).toBe(true)
    expect(messageOf(error)).toMatch(/^\[@svc\/[a-z\d-]+\] \S/)
    for (const part of words) expect(messageOf(error)).toContain(part)
    expectNoSecret(error)
  })
})

/** Returns a copy with more than its type allows. */
function plus<T extends object>(right: T, more: object): T {
  return Object.assign({ ...right }, more)
}

class OptionsOfAProgram {
  readonly #url = baseUrl
  get baseUrl(): string {
    return this.#url
  }
  get credentials(): typeof user {
    return user
  }
}

class StoreOfAProgram {
  // Not the method, which stands on the prototype.
  readonly Lock = new Map<string, unknown>()
  readonly getters = 0
  async get(): Promise<undefined> {
    return undefined
  }
  async compareAndSwap(): Promise<boolean> {
    return true
  }
  async lock(): Promise<number> {
    return this.Lock.size
  }
  async unlock(): Promise<void> {}
}

/** The result of a provider of AWS's for a role. */
const providedKey = {
  ...apiKey,
  sessionToken: 'a-token',
  accountId: '123456789012',
  credentialScope: 'us-east-1',
  $source: { CREDENTIALS_STS_ASSUME_ROLE: 'i' },
}
/** The record of a user as a database has it. */
const userRecord = {
  id: 7,
  uid: 'u-7',
  name: 'Reader',
  email: 'reader@example.com',
  roles: ['reader'],
  session: 'a-session',
  createdAt: new Date(0),
  ...user,
}
const ofToken = { baseUrl, credentials: user }
const ofSigV4 = { baseUrl, region: 'us-east-1', credentials: apiKey }
const unknown = Symbol('unknown')

describe('a right call that looks odd is accepted', () => {
  test.each<[name: string, run: () => unknown]>([
    [
      'a key with what AWS returns beside it',
      () => createSigV4Auth({ ...ofSigV4, credentials: providedKey }),
    ],
    [
      'a key with the legacy fields of AWS SDK 2',
      () =>
        createSigV4Auth({
          ...ofSigV4,
          credentials: plus(apiKey, { expired: false, expireTime: new Date(0) }),
        }),
    ],
    ['the record of a user', () => createTokenAuth({ baseUrl, credentials: userRecord })],
    ['a user of the emulator', () => createTokenAuth({ baseUrl, credentials: defaultUsers[0] })],
    [
      'a key of the emulator',
      () => createSigV4Auth({ ...ofSigV4, credentials: defaultApiKeys[0] }),
    ],
    [
      'credentials without a prototype',
      () =>
        createTokenAuth({
          baseUrl,
          credentials: Object.assign(Object.create(null), user) as typeof user,
        }),
    ],
    [
      'credentials with a wire name that is undefined',
      () => createTokenAuth({ baseUrl, credentials: plus(user, { ParentUid: undefined }) }),
    ],
    [
      'credentials with both names',
      () =>
        createTokenAuth({
          baseUrl,
          credentials: plus(user, { parentUid: 't', ParentUid: 't' }),
        }),
    ],
    [
      'options without a prototype',
      () => createTokenAuth(Object.assign(Object.create(null), ofToken) as typeof ofToken),
    ],
    ['options of a class, with getters', () => createTokenAuth(new OptionsOfAProgram())],
    ['options behind a Proxy', () => createTokenAuth(new Proxy(ofToken, {}))],
    ['options that inherit', () => createTokenAuth(Object.create(ofToken) as typeof ofToken)],
    ['frozen options', () => createTokenAuth(Object.freeze({ ...ofToken }))],
    [
      'an unknown option that is undefined',
      () => createTokenAuth(plus(ofToken, { timeout: undefined })),
    ],
    ['an option by a symbol', () => createTokenAuth(plus(ofToken, { [unknown]: 1 }))],
    [
      'an option that is not enumerable',
      () => createTokenAuth(Object.defineProperty({ ...ofToken }, 'timeout', { value: 1 })),
    ],
    ['a store of a class with fields of its own', () => sharedTokenStore(new StoreOfAProgram())],
    [
      'a store that was spread and changed',
      () => createTokenAuth({ ...ofToken, store: plus(memoryTokenStore(), { name: 'mine' }) }),
    ],
    [
      'a scheme with more than a scheme has',
      () => authFetch(plus(token, { label: 'mine', cache: new Map() })),
    ],
    [
      'a scheme with a getter that throws',
      () =>
        authFetch(
          Object.defineProperty({ ...token }, 'secret', {
            enumerable: true,
            get: () => {
              throw new Error('never asked')
            },
          }),
        ),
    ],
    [
      'an engine with more than an engine has',
      () => createSigV4Auth({ ...ofSigV4, engine: plus(nativeEngine(), { stats: {} }) }),
    ],
    [
      'an anonymous scheme of two lines',
      () =>
        authFetch({
          name: 'own',
          covers: () => true,
          authorize: () => ({ scheme: 'own', headers: [] }),
        }),
    ],
    [
      'a route whose other names are undefined',
      () =>
        createRouteAuthSelector({
          origins: [baseUrl],
          routes: [
            {
              path: '/a',
              method: undefined,
              prefix: undefined,
              caseSensitive: undefined,
              use: token,
            },
          ],
          otherwise: sigv4,
        }),
    ],
    ['a user of the emulator with more fields', () => createEmulator({ users: [userRecord] })],
  ])('%s', (_name, run) => {
    expect(run).not.toThrow()
  })

  test('an init with names that only a runtime knows', async () => {
    const emulator = createEmulator()
    const auth = createTokenAuth({ baseUrl, credentials: defaultUsers[0], fetch: emulator.fetch })
    const serviceFetch = authFetch(auth, { baseUrl, fetch: emulator.fetch })
    const init = plus<RequestInit>({}, { cf: {}, next: { revalidate: 0 }, timeout: 1 })
    expect((await serviceFetch('/user/groups', init)).status).toBe(200)
  })
})

describe('options that cannot be read', () => {
  const trap = (): never => {
    throw new Error(user.password)
  }
  const trapped = (given: object, name: string): object =>
    Object.defineProperty(given, name, { enumerable: true, get: trap })
  const withUser = (credentials: never): unknown => createTokenAuth({ baseUrl, credentials })
  const withKey = (credentials: never): unknown => createSigV4Auth({ ...ofSigV4, credentials })
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()

  test.each<[name: string, options: object]>([
    [
      'a getter of a known option that throws',
      Object.defineProperty({}, 'baseUrl', { enumerable: true, get: trap }),
    ],
    [
      'a getter of an unknown option that throws',
      Object.defineProperty({}, 'more', { enumerable: true, get: trap }),
    ],
    [
      'a getter of a class that throws',
      new (class {
        get baseUrl(): string {
          return trap()
        }
        get origins(): string {
          return trap()
        }
      })(),
    ],
    ['a Proxy whose traps throw', new Proxy({}, { get: trap, ownKeys: trap })],
    ['a Proxy that was revoked', revoked.proxy],
  ])('are a typed error without what they say: %s', async (_name, options) => {
    for (const create of [createTokenAuth, createSigV4Auth, createRouteAuthSelector]) {
      const error = await failureOf(() => create(options as never))
      expect(error).toBeInstanceOf(TypeError)
      expect(messageOf(error)).toMatch(/^\[@svc\/[a-z\d-]+\] \w+: options must be readable$/)
      expectNoSecret(error)
    }
  })

  test.each<readonly [name: string, create: (credentials: never) => unknown]>([
    ...['username', 'password', 'parentUid'].map((name) => [name, withUser] as const),
    ...['accessKeyId', 'secretAccessKey', 'sessionToken'].map((name) => [name, withKey] as const),
  ])('credentials whose %s throws are a typed error without what it says', async (name, create) => {
    const credentials = trapped({ ...user, ...apiKey }, name)
    const error = await failureOf(() => create(credentials as never))
    expect(error).toBeInstanceOf(TypeError)
    expect(messageOf(error)).toContain('credentials must be readable')
    expectNoSecret(error)
  })

  test('a getter of anything else beside credentials is never asked', () => {
    const credentials = trapped({ ...user, ...apiKey }, 'lazy')
    expect(() => [withUser(credentials as never), withKey(credentials as never)]).not.toThrow()
  })

  test('a name that may be a secret is not shown', async () => {
    const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
    for (const name of [secret, 'x'.repeat(100), 'a\r\nb', '\u202e']) {
      const error = await failureOf(() => createTokenAuth({ ...ofToken, [name]: 1 }))
      expect(messageOf(error)).toContain('a name is not an option')
      expect(messageOf(error)).not.toContain(name)
    }
  })
})
