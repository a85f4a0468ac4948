/**
 * Shares one token among several sessions in one process.
 *
 * @module @svc/auth-token/memory-store
 */
import { checkFunctions } from '@svc/auth-hooks/scheme'
import { storeAt } from '../sharing/sharing.ts'
import type { SharedTokenStore } from '../token.ts'
import type { TokenRecord } from './store.ts'

interface Entry {
  record: TokenRecord | undefined
  recordUntil: number
  owner: string | undefined
  lockUntil: number
  fencingToken: number
}

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
  const entries = new Map<string, Entry>()
  const entryOf = (key: string): Entry => {
    const entry = entries.get(key) ?? {
      record: undefined,
      recordUntil: 0,
      owner: undefined,
      lockUntil: 0,
      fencingToken: 0,
    }
    entries.set(key, entry)
    return entry
  }
  const recordOf = ({ record, recordUntil }: Entry): TokenRecord | undefined =>
    clock() < recordUntil ? record : undefined

  // Its first part says that it ends with the process.
  return storeAt(['memory', entries], {
    async get(key) {
      const entry = entries.get(key)
      return entry && recordOf(entry)
    },
    async compareAndSwap(key, record, { fencingToken, ttlMs }) {
      const entry = entryOf(key)
      if (fencingToken !== undefined && fencingToken < entry.fencingToken) return false
      if (record.generation !== (recordOf(entry)?.generation ?? 0) + 1) return false
      entry.record = { ...record }
      entry.recordUntil = clock() + ttlMs
      return true
    },
    async lock(key, { owner, ttlMs }) {
      const entry = entryOf(key)
      const now = clock()
      const isHeld = entry.owner !== undefined && now < entry.lockUntil
      if (isHeld && entry.owner !== owner) return undefined
      if (!isHeld) entry.fencingToken += 1
      entry.owner = owner
      entry.lockUntil = now + ttlMs
      return entry.fencingToken
    },
    async unlock(key, owner) {
      const entry = entries.get(key)
      if (entry?.owner === owner) entry.owner = undefined
    },
  })
}
