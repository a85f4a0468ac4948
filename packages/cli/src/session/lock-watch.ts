import { setTimeout as delay } from 'node:timers/promises'
import type { SharedTokenStore } from '@svc/auth-token'
import { sharedTokenStore } from '@svc/auth-token/sharing'

/** A store that knows which locks are held through it. */
export interface WatchedStore {
  readonly store: SharedTokenStore
  /** Resolves once no lock is held. A session that has its token does not wait for its lock to be freed. */
  unlocked(): Promise<void>
}

/** The longest that a lock is waited for, which expires by itself. */
const longestWaitMs = 2000

/** Watches the locks of a store, which is opened when it is needed. */
export function watchLocks(open: () => Promise<SharedTokenStore>): WatchedStore {
  const owners = new Set<string>()
  let opened: Promise<SharedTokenStore> | undefined
  const store = (): Promise<SharedTokenStore> => (opened ??= open())
  return {
    store: sharedTokenStore({
      get: async (key) => (await store()).get(key),
      compareAndSwap: async (...write) => (await store()).compareAndSwap(...write),
      async lock(key, lock) {
        owners.add(lock.owner)
        const token = await (await store()).lock(key, lock)
        if (token === undefined) owners.delete(lock.owner)
        return token
      },
      unlock: async (key, owner) =>
        (await store()).unlock(key, owner).finally(() => owners.delete(owner)),
    }),
    async unlocked() {
      for (let waited = 0; owners.size > 0 && waited < longestWaitMs; waited += 2) await delay(2)
    },
  }
}
