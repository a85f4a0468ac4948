import { emit } from '@svc/auth-hooks/scheme'
import type { SharingSettings } from '../../session/session-options.ts'
import { type SharedTokenStore, type Sharing, sharingFactory } from '../../token.ts'

/**
 * Returns a store whose sessions are this tab's own, since the browser has nothing to share them by. Their first login
 * says so.
 */
export function aloneIn(
  store: SharedTokenStore,
  missing: 'locks' | 'broadcast-channel',
): SharedTokenStore {
  return {
    ...store,
    [sharingFactory](given, settings: SharingSettings) {
      const { name: scheme, origin, onEvent, rotation } = settings
      // As the type of the store says.
      const sharing = store[sharingFactory](given, settings as never) as Sharing
      let isTold = false
      return {
        ...sharing,
        async obtain(attempt, signal): ReturnType<Sharing['obtain']> {
          if (!isTold) emit(onEvent, () => ({ type: 'store.unshared', scheme, origin, missing }))
          isTold = true
          // A rotating refresh token is not sent without a record of it, which has to be sealed.
          if (rotation || globalThis.crypto?.subtle) return sharing.obtain(attempt, signal)
          if (attempt.urgency === 'look') return { name: 'nothing-newer' }
          attempt.assertMayLogIn()
          return { name: 'issued', grant: await attempt.logIn() }
        },
      } satisfies Sharing
    },
  }
}
