import type { TokenLock, TokenStore } from '../store.ts'
import type { SaidLock } from './messages.ts'
import type { UsablePlatform } from './platform.ts'
import type { Replica } from './replica.ts'
import { type Release, runAlone, takeLock } from './web-locks.ts'

/** The locks of logins: Web Locks, which the browser frees when a tab dies, and which others steal when it is frozen. */
export interface LoginLocks extends Pick<TokenStore, 'lock' | 'unlock'> {
  /** Takes note of a lock that was taken, extended or freed in any tab. */
  heard(key: string, said: SaidLock | { readonly freedBy: string }): void
}

/** The time for which a lock is waited for whose owner was never heard. */
const unheardMs = 5000
/** The time that an owner has once it is overdue: a computer that slept, or a lock that was taken just now. */
const graceMs = 1000
/** The longest that `setTimeout` can wait. */
const longestTimerMs = 2 ** 31 - 1

interface Held {
  readonly owner: string
  readonly free: Release
  endTimer: () => void
}

/**
 * Returns the locks of this tab.
 *
 * @param prefix - Begins the names of the Web Locks.
 */
export function createLoginLocks(
  { timers, locks: webLocks }: UsablePlatform,
  prefix: string,
  replica: () => Replica,
): LoginLocks {
  const held = new Map<string, Held>()
  /** When a lock of another tab may be stolen. */
  const patience = new Map<string, { readonly until: number; readonly isLast: boolean }>()

  const isOverdue = (key: string, ttlMs: number): boolean => {
    const now = timers.now()
    const known = patience.get(key)
    if (known && now < known.until) return false
    if (known?.isLast) return true
    const moreMs = Math.min(ttlMs, known ? graceMs : unheardMs)
    patience.set(key, { until: now + moreMs, isLast: known !== undefined })
    return false
  }
  const forget = (key: string, owner: string): Held | undefined => {
    const own = held.get(key)
    if (own?.owner !== owner) return undefined
    held.delete(key)
    own.endTimer()
    return own
  }
  const release = async (key: string, owner: string): Promise<void> => forget(key, owner)?.free()
  const releaseAfter = (ttlMs: number, key: string, owner: string): (() => void) =>
    timers.after(Math.min(ttlMs, longestTimerMs), () => void release(key, owner))
  /** Takes the Web Lock, and tells all tabs. Resolves to the fencing token, or to `undefined` if it is not to be had. */
  const acquire = async (
    key: string,
    { owner, ttlMs }: TokenLock,
    options: LockOptions,
  ): Promise<number | undefined> => {
    const all = replica()
    const own = { fencingToken: 0, isLost: false }
    const free = await takeLock(webLocks, `${prefix}:${key}`, options, () => {
      own.isLost = true
      all.loseLock(key, own.fencingToken)
      forget(key, owner)
    })
    if (!free) return undefined
    await all.sync()
    // By the time of day, since those who know the last one may be frozen.
    own.fencingToken = Math.max((all.lock(key)?.fencingToken ?? 0) + 1, Date.now())
    const { fencingToken } = own
    held.set(key, { owner, free, endTimer: releaseAfter(ttlMs, key, owner) })
    await all.say({ type: 'lock', key, owner, fencingToken, ttlMs })
    if (!own.isLost && all.lock(key)?.owner === owner) return fencingToken
    await release(key, owner)
    return undefined
  }

  return {
    async lock(key, lock) {
      const { owner, ttlMs } = lock
      const all = replica()
      await all.sync()
      const known = all.lock(key)
      if (known?.owner === owner && timers.now() < known.until) {
        const { fencingToken } = known
        await all.say({ type: 'lock', key, owner, fencingToken, ttlMs })
        return fencingToken
      }
      const fencingToken = await acquire(key, lock, { ifAvailable: true })
      if (fencingToken !== undefined || !isOverdue(key, ttlMs)) return fencingToken
      // One after the other, or the second would steal from the first.
      return runAlone(webLocks, `${prefix}:${key}:steal`, timers, async () => {
        await all.sync()
        return isOverdue(key, ttlMs) ? acquire(key, lock, { steal: true }) : undefined
      })
    },
    async unlock(key, owner) {
      await release(key, owner)
      await replica().say({ type: 'unlock', key, owner })
    },
    heard(key, said) {
      if ('freedBy' in said) {
        patience.delete(key)
        void release(key, said.freedBy)
        return
      }
      const { owner, ttlMs } = said
      patience.set(key, { until: timers.now() + ttlMs, isLast: false })
      const own = held.get(key)
      if (own?.owner !== owner) return
      own.endTimer()
      own.endTimer = releaseAfter(ttlMs, key, owner)
    },
  }
}
