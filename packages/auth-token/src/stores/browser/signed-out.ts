import { signInError } from '../../sign-in/errors.ts'
import type { SharedTokenStore } from '../../token.ts'
import { changedStore } from './changed-store.ts'

/**
 * Returns a store whose sessions use nothing that they remember once the sign-in of this tab is over.
 *
 * @param isOver - Called at each use of a session.
 */
export function heedingSignOut(store: SharedTokenStore, isOver: () => boolean): SharedTokenStore {
  return changedStore(store, (sharing, { title }) => ({
    ...sharing,
    used: () => sharing.used() || isOver(),
    async obtain(attempt, signal) {
      const outcome = isOver() ? undefined : await sharing.obtain(attempt, signal)
      // A login that was under way meanwhile was made with what the session remembers, too.
      if (outcome && !isOver()) return outcome
      const what = `${title}: signed out; load the page anew, or call store.signIn`
      const error = signInError('ERR_AUTH_SIGN_IN_NEEDED', what)
      // Without a pause: the sign-in ends it.
      return { name: 'locked-out', lockout: { retryAt: 0, refusals: 0 }, error, isOwn: false }
    },
  }))
}
