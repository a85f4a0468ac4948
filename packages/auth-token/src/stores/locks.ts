import type { TokenStore } from './store.ts'

/** Locks that end with the process. */
export interface ProcessLocks extends Pick<TokenStore, 'lock' | 'unlock'> {
  /** Returns the number of the last lock that was given. */
  fencingToken(key: string): number
}

export function createProcessLocks(clock: () => number): ProcessLocks {
  const locks = new Map<string, { owner?: string; until: number; fencingToken: number }>()
  return {
    fencingToken: (key) => locks.get(key)?.fencingToken ?? 0,
    async lock(key, { owner, ttlMs }) {
      const now = clock()
      const last = locks.get(key) ?? { until: 0, fencingToken: 0 }
      const isHeld = last.owner !== undefined && now < last.until
      if (isHeld && last.owner !== owner) return undefined
      const fencingToken = isHeld ? last.fencingToken : last.fencingToken + 1
      locks.set(key, { owner, until: now + ttlMs, fencingToken })
      return fencingToken
    },
    async unlock(key, owner) {
      const lock = locks.get(key)
      if (lock?.owner === owner) delete lock.owner
    },
  }
}
