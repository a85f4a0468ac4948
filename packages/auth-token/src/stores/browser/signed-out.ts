import type { SharingSettings } from '../../session/session-options.ts'
import { signInError } from '../../sign-in/errors.ts'
import { type SharedTokenStore, type Sharing, sharingFactory } from '../../token.ts'

/**
 * Returns a store whose sessions use nothing that they remember while the tabs are signed out.
 *
 * @param isSignedOut - Called at each use of a session.
 */
export function heedingSignOut(
  store: SharedTokenStore,
  isSignedOut: () => boolean,
): SharedTokenStore {
  return {
    ...store,
    [sharingFactory](given, settings: SharingSettings): Sharing {
      // As the type of the store says.
      const sharing = store[sharingFactory](given, settings as never) as Sharing
      return {
        ...sharing,
        used: () => sharing.used() || isSignedOut(),
        async obtain(attempt, signal) {
          const outcome = isSignedOut() ? undefined : await sharing.obtain(attempt, signal)
          // A login that was under way meanwhile was made with what the session remembers, too.
          if (outcome && !isSignedOut()) return outcome
          const what = `${settings.title}: signed out; call store.signIn()`
          const error = signInError('ERR_AUTH_SIGN_IN_NEEDED', what)
          // Without a pause: the sign-in ends it.
          const lockout = { retryAt: 0, refusals: 0 }
          return { name: 'locked-out', lockout, error, isOwn: false }
        },
      }
    },
  }
}
