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

const day = 24 * 60 * 60 * 1000

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
  return [...recordChecks(open), ...lockChecks(open)]
}

type Open = () => TokenStore | Promise<TokenStore>
type Check = (
  name: string,
  body: (given: { key: string; store: TokenStore; other: TokenStore }) => Promise<void>,
) => StoreCheck

/** Returns the function that makes a check, with two stores that share their records. */
function checkOf(open: Open): Check {
  return (name, body) => ({
    name,
    async run() {
      const [store, other] = [await open(), await open()]
      await body({ key: uniqueName('key'), store, other })
    },
  })
}

function recordChecks(open: Open): readonly StoreCheck[] {
  const check = checkOf(open)
  return [
    check('a key that was never written reads as undefined', async ({ key, store }) => {
      equal(await store.get(key), undefined, 'get')
    }),
    check(
      'a record is read back as it was written, from every store',
      async ({ key, store, other }) => {
        const record = { generation: 1, sealed: uniqueName('sealed') }
        const write = { fencingToken: await lockOf(store, key), ttlMs: day }
        equal(await store.compareAndSwap(key, record, write), true, 'compareAndSwap')
        equal(await store.get(key), record, 'get')
        equal(await other.get(key), record, 'get of the other store')
      },
    ),
    check('a record of over a mebibyte is read back whole', async ({ key, store, other }) => {
      const record = { generation: 1, sealed: 'aZ09-_'.repeat(2 ** 18) }
      const write = { fencingToken: await lockOf(store, key), ttlMs: day }
      equal(await store.compareAndSwap(key, record, write), true, 'compareAndSwap')
      equal(await other.get(key), record, 'get')
    }),
    check('a record replaces only that of the previous generation', async ({ key, store }) => {
      const write = { fencingToken: await lockOf(store, key), ttlMs: day }
      const swap = (record: TokenRecord): Promise<boolean> =>
        store.compareAndSwap(key, record, write)
      const first = { generation: 1, sealed: 'first' }
      const second = { generation: 2, sealed: 'second' }
      equal(await swap(second), false, 'the second before the first')
      equal(await swap(first), true, 'the first')
      equal(await swap({ ...first, sealed: 'again' }), false, 'the first again')
      equal(await swap({ generation: 3, sealed: 'third' }), false, 'the third before the second')
      equal(await swap(second), true, 'the second')
      equal(await store.get(key), second, 'get')
    }),
    check(
      'of many concurrent writers exactly one wins, and its record stays',
      async ({ key, store, other }) => {
        const write = { fencingToken: await lockOf(store, key), ttlMs: day }
        const records = Array.from({ length: 20 }, (_, n) => ({
          generation: 1,
          sealed: `writer-${n}`,
        }))
        const results = await Promise.all(
          records.map((record, n) => (n % 2 ? store : other).compareAndSwap(key, record, write)),
        )
        const winners = records.filter((_, n) => results[n])
        equal(winners.length, 1, 'the number of winners')
        equal(await store.get(key), winners[0], 'get')
      },
    ),
    check('different keys have separate records and locks', async ({ key, store }) => {
      const another = uniqueName('key')
      const write = { fencingToken: await lockOf(store, key), ttlMs: day }
      await store.compareAndSwap(key, { generation: 1, sealed: 'one' }, write)
      equal(await store.get(another), undefined, 'get by another key')
      await lockOf(store, another)
    }),
    check('a key is not found in another case or by its beginning', async ({ key, store }) => {
      const write = { fencingToken: await lockOf(store, key), ttlMs: day }
      await store.compareAndSwap(key, { generation: 1, sealed: 'one' }, write)
      equal(await store.get(key.toUpperCase()), undefined, 'get in upper case')
      equal(await store.get(key.slice(0, -1)), undefined, 'get by the beginning')
    }),
  ]
}

function lockChecks(open: Open): readonly StoreCheck[] {
  const check = checkOf(open)
  return [
    check('a lock has one owner at a time', async ({ key, store, other }) => {
      const owner = uniqueName('owner')
      const taken = await store.lock(key, { owner, ttlMs: day })
      equal(taken !== undefined, true, 'lock')
      equal(
        await other.lock(key, { owner: uniqueName('owner'), ttlMs: day }),
        undefined,
        'lock by another',
      )
      await store.unlock(key, owner)
      await lockOf(other, key)
    }),
    check('of many concurrent callers exactly one gets the lock', async ({ key, store, other }) => {
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? store : other).lock(key, { owner: uniqueName('owner'), ttlMs: day }),
        ),
      )
      equal(taken.filter((fencingToken) => fencingToken !== undefined).length, 1, 'owners')
    }),
    check(
      'an owner can extend its lock and keeps its fencing token',
      async ({ key, store, other }) => {
        const owner = uniqueName('owner')
        const taken = await store.lock(key, { owner, ttlMs: 300 })
        equal(await other.lock(key, { owner, ttlMs: day }), taken, 'the fencing token')
        await later(600)
        equal(
          await store.lock(key, { owner: uniqueName('owner'), ttlMs: day }),
          undefined,
          'lock by another',
        )
      },
    ),
    check('nobody can release the lock of another owner', async ({ key, store }) => {
      await lockOf(store, key)
      await store.unlock(key, uniqueName('owner'))
      equal(await store.lock(key, { owner: uniqueName('owner'), ttlMs: day }), undefined, 'lock')
    }),
    check('releasing a lock that nobody holds does nothing', async ({ key, store }) => {
      await store.unlock(key, uniqueName('owner'))
      await lockOf(store, key)
    }),
    check(
      'a lock expires by itself, and fencing tokens increase',
      async ({ key, store, other }) => {
        const dead = await store.lock(key, { owner: uniqueName('owner'), ttlMs: 50 })
        const owner = uniqueName('owner')
        const next = await eventually(() => other.lock(key, { owner, ttlMs: day }))
        equal(next > (dead ?? Infinity), true, 'the later fencing token is greater')
        await other.unlock(key, owner)
        const last = await lockOf(store, key)
        equal(last > next, true, 'the fencing token after a release is greater')
      },
    ),
    check('an owner that lost its lock cannot write', async ({ key, store, other }) => {
      const dead = await store.lock(key, { owner: uniqueName('owner'), ttlMs: 50 })
      const owner = uniqueName('owner')
      const next = await eventually(() => other.lock(key, { owner, ttlMs: day }))
      const late = { fencingToken: dead ?? 0, ttlMs: day }
      equal(await store.compareAndSwap(key, { generation: 1, sealed: 'late' }, late), false, 'late')
      equal(await store.get(key), undefined, 'get')
      const record = { generation: 1, sealed: 'in-time' }
      const write = { fencingToken: next, ttlMs: day }
      equal(await other.compareAndSwap(key, record, write), true, 'in time')
    }),
    check(
      'a write without a fencing token compares the generation alone',
      async ({ key, store, other }) => {
        const dead = await store.lock(key, { owner: uniqueName('owner'), ttlMs: day })
        equal(dead !== undefined, true, 'lock')
        const first = { generation: 1, sealed: 'first' }
        equal(await other.compareAndSwap(key, first, { ttlMs: day }), true, 'the first')
        equal(await store.compareAndSwap(key, first, { ttlMs: day }), false, 'the first again')
        equal(await store.get(key), first, 'get')
        const second = { generation: 2, sealed: 'second' }
        equal(await store.compareAndSwap(key, second, { ttlMs: day }), true, 'the second')
      },
    ),
  ]
}

async function lockOf(store: TokenStore, key: string): Promise<number> {
  const fencingToken = await store.lock(key, { owner: uniqueName('owner'), ttlMs: day })
  if (fencingToken !== undefined) return fencingToken
  throw new Error('lock: a lock that nobody holds was not granted')
}

async function eventually<T>(action: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const result = await action()
    if (result !== undefined) return result
    await later(50)
  }
  throw new Error('lock: it did not expire within 2 seconds')
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function uniqueName(kind: string): string {
  return `${kind}-${crypto.randomUUID()}`
}

function equal(came: unknown, expected: unknown, what: string): void {
  const [is, wanted] = [came, expected].map((value) => JSON.stringify(value) ?? 'undefined')
  if (is === wanted) return
  throw new Error(`${what}: expected ${shortened(wanted)}, got ${shortened(is)}`)
}

function shortened(text = ''): string {
  return text.length > 100 ? `${text.slice(0, 100)}… (${text.length} characters)` : text
}
