import type { TokenStore } from '../store.ts'
import { createLoginLocks, type LoginLocks } from './login-locks.ts'
import type { UsablePlatform } from './platform.ts'
import { openReplica, type Replica } from './replica.ts'
import { runAlone } from './web-locks.ts'

/** The store of a tab, which knows what the others have said. */
export type TabStore = TokenStore & Pick<Replica, 'joined' | 'onRecord' | 'record'>

/**
 * Returns the store of this tab: a copy of the records, which all tabs change one after the other.
 *
 * @param name - Tells it from another store of the origin.
 * @param answerMs - The time for which other tabs are waited for.
 */
export function createTabStore(platform: UsablePlatform, name: string, answerMs: number): TabStore {
  const { locks: webLocks, timers } = platform
  const locks: LoginLocks = createLoginLocks(platform, name, () => replica)
  const replica: Replica = openReplica(platform, name, answerMs, (...said) => locks.heard(...said))

  return {
    async get(key) {
      await replica.joined()
      await replica.sync()
      return replica.record(key)
    },
    async compareAndSwap(key, record, { fencingToken = Infinity, ttlMs }) {
      await replica.joined()
      return runAlone(webLocks, `${name}:${key}:write`, timers, async (wasHeldUp) => {
        await replica.sync()
        // A tab that was frozen meanwhile writes nothing.
        if (wasHeldUp()) throw new Error('[@svc/auth-token] the page was held up while it wrote')
        if (fencingToken < (replica.lock(key)?.fencingToken ?? 0)) return false
        if (record.generation !== (replica.record(key)?.generation ?? 0) + 1) return false
        return replica.write(key, record, ttlMs)
      })
    },
    async lock(key, lock) {
      await replica.joined()
      return locks.lock(key, lock)
    },
    unlock: (key, owner) => locks.unlock(key, owner),
    joined: () => replica.joined(),
    onRecord: (listener) => replica.onRecord(listener),
    record: (key) => replica.record(key),
  }
}
