import { AuthError } from '@svc/auth-hooks'
import { check } from '@svc/auth-hooks/scheme'
import { sameCredentials, type SessionCredentials } from '../credentials.ts'
import type { TokenStore } from '../stores/store.ts'
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
import { claim } from './claim.ts'
import { sealOf } from './seals.ts'
import { logInForAll } from './shared-login.ts'
import { openSlot, type StoreSlot } from './store-slot.ts'
import { isUnstored, settle } from './wire-note.ts'

/** The time for which an unavailable store is not asked again, unless a login is to be made. */
const storeUnavailableMs = 10_000
/** The time for which a store without a better token is not asked for one again. */
const nothingBetterMs = 1000
/** The time after which a result that the store did not take is written again. */
const settleAgainMs = 1000

/**
 * Makes a store a shared one.
 *
 * @param place - The texts and objects that tell it from another store.
 * @param forSignIns - Returns the store for rotating sign-ins, if they have one of their own.
 */
export function storeAt(
  place: readonly (string | object)[],
  store: TokenStore,
  forSignIns?: () => TokenStore,
): SharedTokenStore {
  assertStore(store)
  const shared: SharedTokenStore = Object.freeze<SharedTokenStore>({
    [storePlace]: place,
    get: (key) => store.get(key),
    compareAndSwap: (key, record, write) => store.compareAndSwap(key, record, write),
    lock: (key, lock) => store.lock(key, lock),
    unlock: (key, owner) => store.unlock(key, owner),
    // Of the store that it is called with, which may be a changed copy of this one.
    [sharingFactory]: (given, settings) =>
      createSharing((settings.spending && given === shared && forSignIns?.()) || given, settings),
  })
  return shared
}

function createSharing(unchecked: TokenStore, settings: SharingSettings): Sharing {
  const { clock, account, title, spending } = settings
  const store = checkedStore(unchecked, settings)
  let lastSlot: StoreSlot | undefined
  let skipsStored = false
  let askAgainAt = 0
  let seekAgainAt = 0
  let settleAt = 0
  /** The notes whose outcome the store has not taken. */
  const unstored = new Set<string>()

  const slotOf = async (credentials: SessionCredentials): Promise<StoreSlot> => {
    if (lastSlot && sameCredentials(lastSlot.credentials, credentials)) return lastSlot
    const seal = await sealOf(account, credentials, settings)
    lastSlot = openSlot(store, settings, credentials, seal)
    return lastSlot
  }
  const isReachable = (): boolean => !isAhead(askAgainAt, clock(), storeUnavailableMs)

  /** Claims the login, makes it, and stores its outcome; from the start if another was faster. */
  const logInByTurns = async (
    slot: StoreSlot,
    attempt: LoginAttempt,
    signal: AbortSignal,
  ): Promise<LoginOutcome> => {
    for (;;) {
      const skips = skipsStored
      const claimed = await claim(store, slot, attempt, skips, settings, signal)
      if ('name' in claimed) return claimed
      try {
        signal.throwIfAborted()
        const outcome = await logInForAll(slot, claimed, attempt, settings, (id) =>
          unstored.add(id),
        )
        if (outcome) return outcome
      } finally {
        claimed.release()
      }
    }
  }

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
    hasUnstored() {
      for (const id of unstored) if (!isUnstored(id)) unstored.delete(id)
      return unstored.size > 0
    },
    storeAgain() {
      if (!lastSlot || isAhead(settleAt, clock(), settleAgainMs)) return
      settleAt = clock() + settleAgainMs
      for (const id of unstored) settle(lastSlot, id).catch(ignore)
    },
    async obtain(asked, signal) {
      const logIn: LoginAttempt['logIn'] = async (...given) => {
        // The callers of an aborted login have gone on, and nothing may be sent after that.
        signal.throwIfAborted()
        skipsStored = false
        return asked.logIn(...given)
      }
      const attempt = { ...asked, logIn }
      const slot = await slotOf(attempt.credentials)
      try {
        return await logInByTurns(slot, attempt, signal)
      } catch (error) {
        if (error !== storeUnavailable) throw error
        askAgainAt = clock() + storeUnavailableMs
        if (attempt.urgency !== 'log-in') return { name: 'nothing-newer' }
        if (spending) throw storeAway(title)
        attempt.assertMayLogIn()
        return { name: 'issued', grant: await logIn() }
      }
    },
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

function storeAway(title: string): AuthError {
  return new AuthError(
    'ERR_AUTH_STORE',
    `[@svc/auth-token] ${title} was not sent: the token store is away, and the refresh token must not be sent without it`,
  )
}

function ignore(): void {}
