import { refreshToken } from '@svc/auth-token/oauth2'
import { type SecureStore, secureTokenStore } from '@svc/auth-token/secure-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
import { afterEach, describe, expect, test } from 'vitest'
import { createSessionAuth, forgetSessions } from '@svc/auth-token'
import { authorizationServer, reports } from '../oauth2/support/authorization-server.ts'
import { withCheapSeals } from '../support/time.ts'

afterEach(forgetSessions)

/** A keychain with the rules of Expo's SecureStore, which a test ends an app at a step of. */
function keychain() {
  const items = new Map<string, string>()
  const options: unknown[] = []
  const state = { writesLeft: Infinity }
  const begin = async (name: string, given: unknown[]): Promise<void> => {
    if (!/^[\w.-]+$/.test(name)) throw new Error(`Invalid key ${name}`)
    if (given.length > 0) options.push(given[0])
    await new Promise((resolve) => setImmediate(resolve))
  }
  const change = (action: () => void): void => {
    if (state.writesLeft === 0) throw new Error('the app has ended')
    state.writesLeft -= 1
    action()
  }
  /** The module as an app that was just started has it. */
  const start = (): SecureStore => ({
    async getItemAsync(name, ...given) {
      await begin(name, given)
      return items.get(name) ?? null
    },
    async setItemAsync(name, text, ...given) {
      await begin(name, given)
      if (Buffer.byteLength(text) > 2048) throw new Error('Value being stored is too large')
      change(() => items.set(name, text))
    },
    async deleteItemAsync(name, ...given) {
      await begin(name, given)
      change(() => items.delete(name))
    },
  })
  return { items, options, state, start }
}

const write = { ttlMs: 1000 }
const long = (letter: string, length = 5000): string => letter.repeat(length)

describe('a store in a keychain', () => {
  const { start } = keychain()
  const module = start()
  const checks = tokenStoreConformance(() => secureTokenStore(module))
  test.concurrent.each(checks)('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })

  test('keeps a record when the app is started anew, in parts that are not too large', async () => {
    const { start: startApp, items } = keychain()
    for (const [n, sealed] of ['short', long('a'), long('b', 9000), 'again'].entries()) {
      const record = { generation: n + 1, sealed }
      expect(await secureTokenStore(startApp()).compareAndSwap('key', record, write)).toBe(true)
      expect(await secureTokenStore(startApp()).get('key')).toEqual(record)
    }
    // The parts of the records before are gone.
    expect([...items.keys()]).toEqual(['svc-auth.key'])
  })

  test('has the record before or the next one, wherever the app ends while it writes', async () => {
    const lengths = [10, 5000, 4000, 7000, 20]
    for (let step = 0; step < 8; step += 1) {
      const { start: startApp, state } = keychain()
      const store = () => secureTokenStore(startApp())
      let before: { generation: number; sealed: string } | undefined
      for (const [n, length] of lengths.entries()) {
        const next = { generation: n + 1, sealed: long('abcde'[n] ?? '', length) }
        state.writesLeft = step
        const written = store().compareAndSwap('key', next, write)
        await written.catch(() => {})
        state.writesLeft = Infinity
        const found = await store().get('key')
        expect([before, next]).toContainEqual(found)
        // Either it is there, or it is written now.
        const isThere = found?.generation === next.generation
        expect(await store().compareAndSwap('key', next, write)).toBe(!isThere)
        expect(await store().get('key')).toEqual(next)
        before = next
      }
    }
  })

  test('keeps the number of a record that lost a part, and takes a damaged one for none that opens', async () => {
    const { start: startApp, items } = keychain()
    const store = secureTokenStore(startApp())
    await store.compareAndSwap('key', { generation: 1, sealed: long('a') }, write)
    const part = [...items.keys()].find((name) => name !== 'svc-auth.key') ?? ''
    items.delete(part)
    expect(await store.get('key')).toEqual({ generation: 1, sealed: '' })
    const next = { generation: 2, sealed: 'next' }
    expect(await store.compareAndSwap('key', next, write)).toBe(true)
    for (const damaged of ['', '{', '[]', 'null', '{"version":2,"generation":9}']) {
      items.set('svc-auth.key', damaged)
      expect(await store.get('key')).toEqual({ generation: 0, sealed: '' })
    }
    expect(await store.compareAndSwap('key', { generation: 1, sealed: 'x' }, write)).toBe(true)
    expect(await store.get('key')).toEqual({ generation: 1, sealed: 'x' })
  })

  test('gives the options of the items to each function', async () => {
    const { start: startApp, options, items } = keychain()
    const itemOptions = { keychainAccessible: 1 }
    const store = secureTokenStore(startApp(), { prefix: 'my.app-1_', itemOptions })
    await store.compareAndSwap('key', { generation: 1, sealed: long('a') }, write)
    await store.compareAndSwap('key', { generation: 2, sealed: 'b' }, write)
    await store.get('key')
    expect(options.length).toBeGreaterThan(8)
    expect(options.every((given) => given === itemOptions)).toBe(true)
    expect([...items.keys()]).toEqual(['my.app-1_.key'])
  })

  test('goes on after a change that failed', async () => {
    const { start: startApp, state } = keychain()
    const store = secureTokenStore(startApp())
    state.writesLeft = 0
    const failed = store.compareAndSwap('key', { generation: 1, sealed: 'a' }, write)
    const next = store.get('key')
    await expect(failed).rejects.toThrow('the app has ended')
    expect(await next).toBeUndefined()
    state.writesLeft = 1
    expect(await store.compareAndSwap('key', { generation: 1, sealed: 'a' }, write)).toBe(true)
  })

  test('keeps a rotating sign-in: each refresh token is spent once, start after start', async () => {
    const { issuer, baseUrl, signIn, spent } = await authorizationServer()
    const grant = { issuer, clientId: 'app', refreshToken: await signIn(), resource: reports }
    const { start: startApp, items } = keychain()
    const time = { now: Date.now() }
    const clock = withCheapSeals(() => time.now)
    for (let turn = 1; turn <= 4; turn += 1) {
      const store = secureTokenStore(startApp())
      const auth = createSessionAuth({ baseUrl, ...refreshToken(grant), store, clock })
      const token = await auth.getToken()
      expect([...items.values()].join()).not.toContain(token)
      forgetSessions()
      time.now += 600_000
    }
    expect(spent()).toEqual([1, 1, 1, 1])
    // Nobody knows how often the first one was sent.
    for (const name of items.keys()) items.set(name, 'damaged')
    const store = secureTokenStore(startApp())
    const auth = createSessionAuth({ baseUrl, ...refreshToken(grant), store, clock })
    await expect(auth.getToken()).rejects.toMatchObject({ code: 'ERR_AUTH_STORE' })
    expect(spent()).toEqual([1, 1, 1, 1])
  })

  test.each([
    [
      undefined,
      {},
      'secureStore must have the functions getItemAsync, setItemAsync, deleteItemAsync',
    ],
    [{ getItem: () => {} }, {}, 'secureStore must have the functions'],
    [keychain().start(), { prefix: 'a b' }, 'prefix must have letters, digits'],
    [keychain().start(), { prefix: '' }, 'prefix must have'],
    [keychain().start(), { itemOptions: 1 }, 'itemOptions must be an object'],
    [keychain().start(), { namespace: 'a' }, 'prefix'],
  ] as [unknown, object, string][])('takes nothing else: %j %j', (given, options, message) => {
    // As a caller without types may give them.
    const make = () => secureTokenStore(given as SecureStore, options)
    expect(make).toThrow(TypeError)
    expect(make).toThrow('[@svc/auth-token] secureTokenStore: ')
    expect(make).toThrow(message)
  })
})
