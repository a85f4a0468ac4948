import { AuthError } from '@svc/auth-hooks'
import { check, emit } from '@svc/auth-hooks/scheme'
import { sameCredentials, type SessionCredentials } from '../credentials.ts'
import type { TokenStore } from '../stores/store.ts'
import { delay, every } from '../timers.ts'
import {
  isAhead,
  type LoginAttempt,
  type LoginOutcome,
  type SharedTokenStore,
  type Sharing,
  sharingFactory,
  type SharingSettings,
  storePlace,
} from '../token.ts'
import { checkedStore, storeUnavailable } from './checked-store.ts'
import { logInForAll, readOutcome } from './shared-login.ts'
import { openSlot, type StoreSlot } from './store-slot.ts'

/** The duration of a lock. Its owner extends it while it lives, so that one that was killed holds up nobody for long. */
const longestLockMs = 5000
const firstWaitMs = 20
const longestWaitMs = 250
/** The time for which an unavailable store is not asked again, unless a login is to be made. */
const storeUnavailableMs = 10_000
/** The time for which a store without a better token is not asked for one again. */
const nothingBetterMs = 1000

/**
 * Makes a store a shared one.
 *
 * @param place - The texts and objects that tell it from another store.
 */
export function storeAt(place: readonly (string | object)[], store: TokenStore): SharedTokenStore {
  assertStore(store)
  return Object.freeze<SharedTokenStore>({
    [storePlace]: place,
    get: (key) => store.get(key),
    compareAndSwap: (key, record, write) => store.compareAndSwap(key, record, write),
    lock: (key, lock) => store.lock(key, lock),
    unlock: (key, owner) => store.unlock(key, owner),
    // Of the store that it is called with, which may be a changed copy of this one.
    [sharingFactory]: createSharing,
  })
}

function createSharing(unchecked: TokenStore, settings: SharingSettings): Sharing {
  const { clock, loginTimeoutMs } = settings
  const lockMs = Math.min(longestLockMs, loginTimeoutMs / 3)
  const store = checkedStore(unchecked, settings)
  let lastSlot: StoreSlot | undefined
  let skipsStored = false
  let askAgainAt = 0
  let seekAgainAt = 0

  const slotOf = async (credentials: SessionCredentials): Promise<StoreSlot> => {
    if (lastSlot && sameCredentials(lastSlot.credentials, credentials)) return lastSlot
    lastSlot = await openSlot(store, settings, credentials)
    return lastSlot
  }

  const isReachable = (): boolean => !isAhead(askAgainAt, clock(), storeUnavailableMs)

  return {
    isReachable,
    mayHaveBetter() {
      if (!isReachable() || isAhead(seekAgainAt, clock(), nothingBetterMs)) return false
      seekAgainAt = clock() + nothingBetterMs
      return true
    },
    skipStored() {
      skipsStored = true
      askAgainAt = 0
    },
    async obtain(asked, signal) {
      const skips = skipsStored
      const logIn: LoginAttempt['logIn'] = async (...given) => {
        // The callers of an aborted login have gone on, and nothing may be sent after that.
        signal.throwIfAborted()
        skipsStored = false
        return asked.logIn(...given)
      }
      const attempt = { ...asked, logIn }
      const slot = await slotOf(attempt.credentials)
      const owner = crypto.randomUUID()
      const lock = (): Promise<number | undefined> => store.lock(slot.key, { owner, ttlMs: lockMs })
      let taken: LoginOutcome | number
      try {
        taken = await takeLock(slot, attempt, skips, lock, settings, signal)
      } catch (error) {
        if (error !== storeUnavailable) throw error
        askAgainAt = clock() + storeUnavailableMs
        if (attempt.urgency !== 'log-in') return { name: 'nothing-newer' }
        if (settings.spending) throw storeAway(settings.title)
        attempt.assertMayLogIn()
        return { name: 'issued', grant: await logIn() }
      }
      if (typeof taken !== 'number') return taken

      let fencingToken = taken
      let heartbeat: Promise<unknown> = Promise.resolve()
      const endBeats = every(settings.timers, lockMs / 3, () => {
        heartbeat = heartbeat
          .then(() => store.extendLock(slot.key, { owner, ttlMs: lockMs }))
          .then((extended) => (fencingToken = extended ?? fencingToken), ignore)
      })
      try {
        // Another may have written between the last look and the lock.
        const read = skips ? slot.skipStored() : readOutcome(slot, attempt, settings, signal)
        const found = await read.catch((error: unknown) => {
          if (settings.spending) throw error
          return ignoreAway(error)
        })
        return found ?? (await logInForAll(slot, attempt, () => fencingToken, settings, signal))
      } catch (error) {
        throw error === storeUnavailable ? storeAway(settings.title) : error
      } finally {
        endBeats()
        // A lock that is being extended would be there again after it was freed.
        void heartbeat.then(() => store.unlock(slot.key, owner)).catch(ignore)
      }
    },
  }
}

/** Waits for the lock, or for an outcome that makes it superfluous. */
async function takeLock(
  slot: StoreSlot,
  attempt: LoginAttempt,
  skipsStored: boolean,
  lock: () => Promise<number | undefined>,
  settings: SharingSettings,
  signal: AbortSignal,
): Promise<LoginOutcome | number> {
  const { clock, random, timers, loginTimeoutMs, name, origin, onEvent } = settings
  const about = { scheme: name, origin } as const
  const startedAt = clock()
  let hasWaited = false
  const emitWaited = (): void => {
    if (!hasWaited) return
    emit(onEvent, () => ({ ...about, type: 'lock.waited', waitedMs: clock() - startedAt }))
  }
  let isLate = false
  const endWait = timers.after(loginTimeoutMs / 2, () => (isLate = true))
  try {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
      // Decided by a look that began after it: the process may have slept since the one before.
      const wasLate = isLate
      // A session that was invalidated must not take the token of a login before.
      if (skipsStored) attempt.assertMayLogIn()
      const found = skipsStored ? undefined : await readOutcome(slot, attempt, settings, signal)
      const taken = found ?? (await lock())
      if (taken !== undefined) {
        emitWaited()
        return taken
      }
      if (wasLate) {
        // Whoever holds it so long is not logging in.
        emit(onEvent, () => ({
          ...about,
          type: 'store.failed',
          operation: 'lock',
          reason: 'timeout',
        }))
        throw storeUnavailable
      }
      hasWaited = true
      await delay(timers, waitMs * (0.5 + random() / 2), signal)
    }
  } finally {
    endWait()
  }
}

function assertStore(store: TokenStore): void {
  const methods = ['get', 'compareAndSwap', 'lock', 'unlock'] as const
  const isStore =
    typeof store === 'object' &&
    store !== null &&
    methods.every((method) => typeof store[method] === 'function')
  check(
    isStore,
    '[@svc/auth-token] sharedTokenStore',
    `store must be an object with the methods ${methods.join(', ')}`,
  )
}

function ignore(): void {}

function storeAway(title: string): AuthError {
  return new AuthError(
    'ERR_AUTH_STORE',
    `[@svc/auth-token] ${title} was not sent: the token store is away, and the refresh token must not be sent without it`,
  )
}

function ignoreAway(error: unknown): undefined {
  if (error !== storeUnavailable) throw error
}
