/**
 * The checks that your own token store must pass, for any test runner.
 *
 * @module @svc/auth-token/store-conformance
 */
import type { TokenRecord, TokenStore } from './store.ts'

/** One requirement of a store. */
export interface StoreCheck {
  /** The requirement, as a sentence: the name of a test. */
  readonly name: string
  /** Rejects with an `Error` if the store does not do it. */
  readonly run: () => Promise<void>
}

/**
 * Returns the checks that a token store must pass, for any test runner. Each uses its own keys, so they
 * can run against one store, in sequence or in parallel.
 *
 * @param open - Returns a store; two calls return two that share their records, as in two processes.
 * @throws TypeError if `open` is not a function.
 * @example
 * import { test } from 'node:test'
 * import { memoryTokenStore } from '@svc/auth-token/memory-store'
 * import { tokenStoreConformance } from '@svc/auth-token/store-conformance'
 *
 * // Use your own store here.
 * const store = memoryTokenStore()
 * for (const { name, run } of tokenStoreConformance(() => store)) void test(name, run)
 * @see {@link TokenStore}
 */
export function tokenStoreConformance(
  open: () => TokenStore | Promise<TokenStore>,
): readonly StoreCheck[] {
  if (typeof open !== 'function') {
    throw new TypeError('[@svc/auth-token] tokenStoreConformance: open must be a function')
  }
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const key = `key-${crypto.randomUUID()}`
      await check({ one: entryOf(await open(), key), other: entryOf(await open(), key) })
    },
  }))
}

const day = 24 * 60 * 60 * 1000
const first = { generation: 1, sealed: 'first' }
const second = { generation: 2, sealed: 'second' }
const third = { generation: 3, sealed: 'third' }

/** A check of two stores that share their records, each with the entry of one key. */
type Check = (given: Record<'one' | 'other', ReturnType<typeof entryOf>>) => Promise<void>

const checks: Record<string, Check> = {
  async 'a key that was never written reads as undefined'({ one }) {
    equal(await one.get(), undefined, 'get')
  },
  async 'a record is read back as it was written, from every store'({ one, other }) {
    const record = { generation: 1, sealed: crypto.randomUUID() }
    equal(await one.swap(record, await one.lockFree()), true, 'compareAndSwap')
    equal(await one.get(), record, 'get')
    equal(await other.get(), record, 'get of the other store')
  },
  async 'a record of over a mebibyte is read back whole'({ one, other }) {
    const record = { generation: 1, sealed: 'aZ09-_'.repeat(2 ** 18) }
    equal(await one.swap(record, await one.lockFree()), true, 'compareAndSwap')
    equal((await other.get())?.sealed === record.sealed, true, 'the same record of get')
  },
  async 'a record replaces only that of the previous generation'({ one }) {
    const fencingToken = await one.lockFree()
    equal(await one.swap(second, fencingToken), false, 'the second before the first')
    equal(await one.swap(first, fencingToken), true, 'the first')
    equal(await one.swap({ ...first, sealed: 'again' }, fencingToken), false, 'the first again')
    equal(await one.swap(third, fencingToken), false, 'the third before the second')
    equal(await one.swap(second, fencingToken), true, 'the second')
    equal(await one.get(), second, 'get')
  },
  async 'of many concurrent writers exactly one wins, and its record stays'({ one, other }) {
    const fencingToken = await one.lockFree()
    const records = numbers.map((n) => ({ generation: 1, sealed: `writer-${n}` }))
    const results = await Promise.all(
      records.map((record, n) => (n % 2 ? one : other).swap(record, fencingToken)),
    )
    const winners = records.filter((_, n) => results[n])
    equal(winners.length, 1, 'the number of winners')
    equal(await one.get(), winners[0], 'get')
  },
  async 'another key has another record and lock, also if it differs in case or is its beginning'({
    one,
  }) {
    await one.swap(first, await one.lockFree())
    for (const key of [crypto.randomUUID(), one.key.toUpperCase(), one.key.slice(0, -1)]) {
      const another = entryOf(one.store, key)
      equal(await another.get(), undefined, `get by ${key}`)
      await another.lockFree()
    }
  },
  async 'a lock has one owner at a time'({ one, other }) {
    const owner = crypto.randomUUID()
    equal((await one.lock(owner)) !== undefined, true, 'lock')
    equal(await other.lock(), undefined, 'lock by another')
    await one.unlock(owner)
    await other.lockFree()
  },
  async 'of many concurrent callers exactly one gets the lock'({ one, other }) {
    const taken = await Promise.all(numbers.map((n) => (n % 2 ? one : other).lock()))
    equal(taken.filter((fencingToken) => fencingToken !== undefined).length, 1, 'owners')
  },
  async 'an owner can extend its lock and keeps its fencing token'({ one, other }) {
    const owner = crypto.randomUUID()
    const taken = await one.lock(owner, 300)
    equal(await other.lock(owner), taken, 'the fencing token')
    await later(600)
    equal(await one.lock(), undefined, 'lock by another')
  },
  async 'nobody can release the lock of another owner, and to release none does nothing'({ one }) {
    await one.unlock(crypto.randomUUID())
    await one.lockFree()
    await one.unlock(crypto.randomUUID())
    equal(await one.lock(), undefined, 'lock')
  },
  async 'a lock expires by itself, and fencing tokens increase'({ one, other }) {
    const dead = await one.lock(crypto.randomUUID(), 50)
    const owner = crypto.randomUUID()
    const next = await other.lockFree(owner, 40)
    equal(next > (dead ?? Infinity), true, 'the later fencing token is greater')
    await other.unlock(owner)
    equal((await one.lockFree()) > next, true, 'the fencing token after a release is greater')
  },
  async 'an owner that lost its lock cannot write'({ one, other }) {
    const dead = await one.lock(crypto.randomUUID(), 50)
    const next = await other.lockFree(crypto.randomUUID(), 40)
    equal(await one.swap({ generation: 1, sealed: 'late' }, dead ?? 0), false, 'late')
    equal(await one.get(), undefined, 'get')
    equal(await other.swap({ generation: 1, sealed: 'in-time' }, next), true, 'in time')
  },
  async 'a write without a fencing token compares the generation alone'({ one, other }) {
    equal((await one.lock()) !== undefined, true, 'lock')
    equal(await other.swap(first), true, 'the first')
    equal(await one.swap(first), false, 'the first again')
    equal(await one.get(), first, 'get')
    equal(await one.swap(second), true, 'the second')
  },
}

const numbers = Array.from({ length: 20 }, (_, n) => n)

function entryOf(store: TokenStore, key: string) {
  const lock = (owner: string = crypto.randomUUID(), ttlMs = day): Promise<number | undefined> =>
    store.lock(key, { owner, ttlMs })
  return {
    store,
    key,
    get: () => store.get(key),
    swap: (record: TokenRecord, fencingToken?: number) =>
      store.compareAndSwap(key, record, { fencingToken, ttlMs: day }),
    lock,
    /** Takes a lock that must be free, or be so soon. */
    async lockFree(owner?: string, attempts = 1) {
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const fencingToken = await lock(owner)
        if (fencingToken !== undefined) return fencingToken
        await later(50)
      }
      throw new Error('lock: a lock that nobody holds, or whose time is up, was not granted')
    },
    unlock: (owner: string) => store.unlock(key, owner),
  }
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function equal(came: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [came, expected].map((value) => JSON.stringify(value))
  if (is !== wanted) throw new Error(`${what}: expected ${wanted}, got ${is}`)
}
