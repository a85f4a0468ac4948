/**
 * Shares one token among several sessions in one process.
 *
 * @module @svc/auth-token/memory-store
 */
import { checkFunctions } from '@svc/auth-hooks/scheme'
import { storeAt } from '../sharing/sharing.ts'
import type { SharedTokenStore } from '../token.ts'
import { createProcessLocks } from './locks.ts'
import type { TokenRecord } from './store.ts'

/**
 * Keeps tokens in memory, to be shared by several sessions in one process.
 *
 * @param clock - The time, in epoch milliseconds; by default `Date.now`.
 * @throws TypeError if the clock is not a function.
 * @example
 * import { createTokenAuth } from '@svc/auth-token'
 * import { memoryTokenStore } from '@svc/auth-token/memory-store'
 * import { createEmulator, defaultUsers } from '@svc/emulator'
 *
 * const service = await createEmulator().listen()
 * const store = memoryTokenStore()
 * const options = { baseUrl: service.url, credentials: defaultUsers[0], store }
 * const [one, other] = [createTokenAuth(options), createTokenAuth(options)]
 * console.log((await one.getToken()) === (await other.getToken())) // true
 * await service.close()
 * @see {@link SharedTokenStore}
 */
export function memoryTokenStore(clock: () => number = () => Date.now()): SharedTokenStore {
  checkFunctions({ clock }, '[@svc/auth-token] memoryTokenStore')
  const records = new Map<string, { record: TokenRecord; until: number }>()
  const locks = createProcessLocks(clock)
  const recordOf = (key: string): TokenRecord | undefined => {
    const { record, until = 0 } = records.get(key) ?? {}
    return clock() < until ? record : undefined
  }

  // Its first part says that it ends with the process.
  return storeAt(['memory', records], {
    get: async (key) => recordOf(key),
    async compareAndSwap(key, record, { fencingToken = Infinity, ttlMs }) {
      if (fencingToken < locks.fencingToken(key)) return false
      if (record.generation !== (recordOf(key)?.generation ?? 0) + 1) return false
      records.set(key, { record: { ...record }, until: clock() + ttlMs })
      return true
    },
    ...locks,
  })
}
