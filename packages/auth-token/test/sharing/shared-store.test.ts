import {
  createTokenAuth,
  type SharedTokenStore,
  type TokenAuthOptions,
  type TokenStore,
} from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { sharedTokenStore } from '@svc/auth-token/sharing'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
import { describe, expect, test } from 'vitest'
import { primary, service } from '../support/service.ts'

const options: TokenAuthOptions = { baseUrl: 'https://search.example.com', credentials: primary }
const methods = 'store must be an object with the methods get, compareAndSwap, lock, unlock'

/** A store of one's own, whose methods need their `this`. */
class OwnStore implements TokenStore {
  readonly #inner = memoryTokenStore()
  get(...all: Parameters<TokenStore['get']>): ReturnType<TokenStore['get']> {
    return this.#inner.get(...all)
  }
  compareAndSwap(
    ...all: Parameters<TokenStore['compareAndSwap']>
  ): ReturnType<TokenStore['compareAndSwap']> {
    return this.#inner.compareAndSwap(...all)
  }
  lock(...all: Parameters<TokenStore['lock']>): ReturnType<TokenStore['lock']> {
    return this.#inner.lock(...all)
  }
  unlock(...all: Parameters<TokenStore['unlock']>): ReturnType<TokenStore['unlock']> {
    return this.#inner.unlock(...all)
  }
}

describe('a store of one’s own that was wrapped', () => {
  const store = sharedTokenStore(new OwnStore())
  test.concurrent.each(tokenStoreConformance(() => store))('$name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined()
  })

  test('is shared by sessions', async () => {
    const { session, emulator } = await service({ store: sharedTokenStore(new OwnStore()) })
    expect(await session().getToken()).toBe(await session().getToken())
    expect(emulator.logins).toBe(1)
  })

  test('can be wrapped again', async () => {
    const shared = memoryTokenStore()
    const { session, emulator } = await service()
    const token = await session({ store: shared }).getToken()
    expect(await session({ store: sharedTokenStore(shared) }).getToken()).toBe(token)
    expect(emulator.logins).toBe(1)
  })

  test.each<[how: string, change: (shared: SharedTokenStore) => SharedTokenStore]>([
    ['a copy', (shared) => ({ ...shared })],
    ['a proxy', (shared) => new Proxy(shared, {})],
  ])('is shared through %s of it, whose methods are used', async (_how, change) => {
    let reads = 0
    const own = memoryTokenStore()
    const counted = sharedTokenStore({
      ...own,
      get: (key) => {
        reads += 1
        return own.get(key)
      },
    })
    const { auth } = await service({ store: change(counted) })
    await auth.getToken()
    expect(reads).toBeGreaterThan(0)
  })

  test('may have its methods changed in a copy', async () => {
    let reads = 0
    const shared = memoryTokenStore()
    const get: TokenStore['get'] = (key) => {
      reads += 1
      return shared.get(key)
    }
    const { auth } = await service({ store: { ...shared, get } })
    await auth.getToken()
    expect(reads).toBeGreaterThan(0)
  })
})

describe('a store that is none', () => {
  const plain = { get() {}, compareAndSwap() {}, lock() {}, unlock() {} }

  test.each([null, 'redis://127.0.0.1', {}, plain, () => {}])(
    'is refused as the option store, with the way to wrap one: %o',
    (store) => {
      expect(() => createTokenAuth({ ...options, store: store as never })).toThrow(
        new TypeError(
          "[@svc/auth-token] createTokenAuth: store must be what memoryTokenStore(), fileTokenStore() or redisTokenStore(client) returns; wrap your own by sharedTokenStore of '@svc/auth-token/sharing'",
        ),
      )
    },
  )

  test.each([undefined, null, 'redis://127.0.0.1', {}, { ...plain, lock: undefined }, () => {}])(
    'is not wrapped: %o',
    (store) => {
      expect(() => sharedTokenStore(store as never)).toThrow(
        new TypeError(`[@svc/auth-token] sharedTokenStore: ${methods}`),
      )
    },
  )
})
