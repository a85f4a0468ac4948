import type { TokenStore } from './store.ts'

/** Locks that end with the process. */
export interface ProcessLocks {
  /** Returns the number of the last lock that was given. */
  readonly fencingToken: (key: string) => number
  readonly lock: (...given: Parameters<TokenStore['lock']>) => ReturnType<TokenStore['lock']>
  readonly unlock: (...given: Parameters<TokenStore['unlock']>) => Promise<void>
}

export function createProcessLocks(clock: () => number): ProcessLocks {
  const locks = new Map<
    string,
    { owner: string | undefined; until: number; fencingToken: number }
  >()

  return {
    fencingToken: (key) => locks.get(key)?.fencingToken ?? 0,
    async lock(key, { owner, ttlMs }) {
      const now = clock()
      const last = locks.get(key) ?? { owner: undefined, until: 0, fencingToken: 0 }
      const isHeld = last.owner !== undefined && now < last.until
      if (isHeld && last.owner !== owner) return undefined
      const fencingToken = isHeld ? last.fencingToken : last.fencingToken + 1
      locks.set(key, { owner, until: now + ttlMs, fencingToken })
      return fencingToken
    },
    async unlock(key, owner) {
      const lock = locks.get(key)
      if (lock?.owner === owner) lock.owner = undefined
    },
  }
}
