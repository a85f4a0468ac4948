import { describe, expect, test } from 'vitest'
import { type TokenStore } from '@svc/auth-token'
import { memoryTokenStore } from '@svc/auth-token/memory-store'
import { tokenStoreConformance } from '@svc/auth-token/store-conformance'

/** Faults of a store, each with the check that has to find it. */
const faults: Record<string, (good: TokenStore) => Partial<TokenStore>> = {
  'forgets what it is given (a record is read back as it was written)': () => ({
    get: async () => undefined,
  }),
  'gives what nobody wrote (never written reads as undefined)': (good) => ({
    get: async (key) => (await good.get(key)) ?? { generation: 0, sealed: '' },
  }),
  'writes over anything (only that of the previous generation)': (good) => {
    const records = new Map<string, Awaited<ReturnType<TokenStore['get']>>>()
    return {
      get: async (key) => records.get(key) ?? good.get(key),
      async compareAndSwap(key, record) {
        records.set(key, record)
        return true
      },
    }
  },
  'compares and swaps in two steps (of many concurrent writers exactly one wins)': (good) => ({
    async compareAndSwap(key, record, write) {
      const before = await good.get(key)
      if (record.generation !== (before?.generation ?? 0) + 1) return false
      await good.compareAndSwap(key, record, write)
      return true
    },
  }),
  'takes no notice of fencing tokens (that lost its lock cannot write)': (good) => ({
    compareAndSwap: (key, record, { ttlMs }) =>
      good.compareAndSwap(key, record, { ttlMs, fencingToken: Number.MAX_SAFE_INTEGER }),
  }),
  'gives every lock (a lock has one owner)': (good) => ({
    lock: (key, lock) => good.lock(`${key}${lock.owner}`, lock),
  }),
  'never ends a lock (a lock expires by itself)': (good) => ({
    lock: (key, { owner }) => good.lock(key, { owner, ttlMs: 1e9 }),
  }),
  'ends locks too early (an owner can extend its lock)': (good) => ({
    lock: (key, { owner }) => good.lock(key, { owner, ttlMs: 200 }),
  }),
  'gives one fencing token to all (a lock expires by itself)': (good) => ({
    lock: async (key, lock) => (await good.lock(key, lock)) && 1,
  }),
  'knows no owners (nobody can release the lock of another owner)': (good) => {
    const owners = new Map<string, string>()
    return {
      async lock(key, lock) {
        const taken = await good.lock(key, lock)
        if (taken !== undefined) owners.set(key, lock.owner)
        return taken
      },
      unlock: (key) => good.unlock(key, owners.get(key) ?? ''),
    }
  },
  'does not unlock (a lock has one owner)': () => ({ unlock: async () => {} }),
  'does not extend a lock (an owner can extend its lock)': (good) => {
    const held = new Map<string, number | undefined>()
    return {
      async lock(key, lock) {
        const known = held.get(key + lock.owner)
        if (known !== undefined) return known
        const taken = await good.lock(key, lock)
        held.set(key + lock.owner, taken)
        return taken
      },
    }
  },
  'folds the case of keys (another key has another record)': (good) => ({
    get: (key) => good.get(key.toLowerCase()),
  }),
  'cuts long records (of over a mebibyte)': (good) => ({
    async get(key) {
      const record = await good.get(key)
      return record && { ...record, sealed: record.sealed.slice(0, 65_536) }
    },
  }),
}

async function failures(open: () => TokenStore): Promise<string[]> {
  const checks = tokenStoreConformance(open)
  const results = await Promise.allSettled(checks.map(({ run }) => run()))
  return checks.flatMap(({ name }, n) => (results[n]?.status === 'rejected' ? [name] : []))
}

describe('the checks of a store', () => {
  test.concurrent.each(Object.entries(faults))('find one that %s', async (fault, spoil) => {
    const good = memoryTokenStore()
    const store = { ...good, ...spoil(good) }
    const failed = await failures(() => store)
    expect(failed.filter((name) => name.includes(/\((.+)\)$/.exec(fault)?.[1] ?? ''))).toHaveLength(
      1,
    )
  })

  test('find two stores that share nothing', async () => {
    expect(await failures(() => memoryTokenStore())).not.toEqual([])
  })
})

test.each([null, undefined, {}, memoryTokenStore()])(
  'the checks are made for a function that opens a store, and not for %j',
  (open) => {
    // Plain JavaScript may hand these over.
    expect(() => tokenStoreConformance(open as () => TokenStore)).toThrow(
      new TypeError('[@svc/auth-token] tokenStoreConformance: open must be a function'),
    )
  },
)
