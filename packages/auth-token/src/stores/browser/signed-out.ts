import { signInError } from '../../sign-in/errors.ts'
import type { SharingSettings } from '../../session/session-options.ts'
import { type SharedTokenStore, type Sharing, sharingFactory } from '../../token.ts'
import type { SignIns } from './sign-in.ts'

/**
 * Returns a store whose sessions use nothing of another sign-in than that of this tab: no token that they remember, no
 * record, and no login that began before it.
 */
export function heedingSignOut(store: SharedTokenStore, own: SignIns): SharedTokenStore {
  return {
    ...store,
    [sharingFactory](_given, settings: SharingSettings) {
      /** The sign-ins of the record that was read last, and of the token at hand. */
      let [ofRecord, ofToken] = ['', '']
      const at = (key: string): string => own.id() + key
      const given: SharedTokenStore = {
        ...store,
        get(key) {
          ofRecord = own.id()
          return store.get(at(key))
        },
        compareAndSwap: async (key, ...written) =>
          ofRecord === own.id() && store.compareAndSwap(at(key), ...written),
        lock: (key, lock) => store.lock(at(key), lock),
        unlock: (key, owner) => store.unlock(at(key), owner),
      }
      // Only scripts of the origin see its records, and these see what the page has in its memory, too: stretching a
      // password would keep them from nothing, and take a phone a moment. The type is that of the store.
      const sharing = store[sharingFactory](given, {
        ...settings,
        sealRounds: 1,
      } as never) as Sharing
      return {
        ...sharing,
        used: () => sharing.used() || own.isOver() || ofToken !== own.id(),
        async obtain(attempt, signal): ReturnType<Sharing['obtain']> {
          await own.joined
          const id = own.id()
          const outcome = own.isOver() ? undefined : await sharing.obtain(attempt, signal)
          if (outcome && !own.isOver() && id === own.id()) {
            if ('grant' in outcome) ofToken = id
            return outcome
          }
          const what = `${settings.title}: signed out; load the page anew, or call store.signIn`
          const error = signInError('ERR_AUTH_SIGN_IN_NEEDED', what)
          // Without a pause: the sign-in ends it.
          return { name: 'locked-out', lockout: { retryAt: 0, refusals: 0 }, error, isOwn: false }
        },
      } satisfies Sharing
    },
  }
}
