import { AuthError } from '@svc/auth-hooks'
import type { TokenStore } from '../stores/store.ts'
import {
  isAhead,
  type LoginAttempt,
  type SharedTokenStore,
  type Sharing,
  sharingFactory,
  storePlace,
} from '../token.ts'
import type { SharingSettings } from '../session/session-options.ts'
import { unstoredIn, settle } from './refresh.ts'
import { sealOf } from './sealed-record.ts'
import { logInForAll } from './shared-login.ts'
import { openSlot, type StoreSlot, storeUnavailable } from './store-slot.ts'

/** The time for which an unavailable store is not asked again, unless a login is to be made. */
const storeUnavailableMs = 10_000
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
  forSignIns?: (settings: SharingSettings) => TokenStore | undefined,
): SharedTokenStore {
  const shared: SharedTokenStore = Object.freeze<SharedTokenStore>({
    [storePlace]: place,
    get: (key) => store.get(key),
    compareAndSwap: (key, record, write) => store.compareAndSwap(key, record, write),
    lock: (key, lock) => store.lock(key, lock),
    unlock: (key, owner) => store.unlock(key, owner),
    // Of the store that it is called with, which may be a changed copy of this one.
    [sharingFactory]: (given, settings: SharingSettings) =>
      createSharing((given === shared && forSignIns?.(settings)) || given, settings),
  })
  return shared
}

function createSharing(store: TokenStore, settings: SharingSettings): Sharing {
  const { clock, account, title, rotation } = settings
  /** All logins of a session have the same credentials, and so the same slot. */
  let slot: StoreSlot | undefined
  let skipsStored = false
  let askAgainAt = 0
  let settleAt = 0

  const sharing: Sharing = {
    isReachable: () => !isAhead(askAgainAt, clock(), storeUnavailableMs),
    invalidate(isOver) {
      if (!isOver) return
      skipsStored = true
      askAgainAt = 0
    },
    hasUnstored: () => unstoredIn(slot).length > 0,
    used() {
      const unstored = unstoredIn(slot)
      if (unstored.length === 0 || isAhead(settleAt, clock(), settleAgainMs)) return false
      settleAt = clock() + settleAgainMs
      for (const id of unstored) settle(id).catch(() => {})
      return false
    },
    async obtain(asked, signal) {
      const logInUnlessAborted: LoginAttempt['logIn'] = async (...given) => {
        // The callers of an aborted login have gone on, and nothing may be sent after that.
        signal.throwIfAborted()
        skipsStored = false
        return asked.logIn(...given)
      }
      const attempt = { ...asked, logIn: logInUnlessAborted }
      slot ??= openSlot(store, settings, await sealOf(account, asked.credentials, settings))
      try {
        return await logInForAll({
          slot,
          attempt,
          settings,
          signal,
          skipsStored: () => skipsStored,
        })
      } catch (error) {
        if (error !== storeUnavailable) throw error
        askAgainAt = clock() + storeUnavailableMs
        if (attempt.urgency !== 'log-in') return { name: 'nothing-newer' }
        if (rotation) {
          const why =
            'the token store is away, slow or lost its record; if it stays so, sign in again'
          throw new AuthError('ERR_AUTH_STORE', `[@svc/auth-token] ${title} was not sent: ${why}`)
        }
        attempt.assertMayLogIn()
        return { name: 'issued', grant: await logInUnlessAborted() }
      }
    },
  }
  return rotation?.signIn?.({ sharing, slotOf: () => slot, settings } as never) ?? sharing
}
