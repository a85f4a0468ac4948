import { emit } from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import type { SharedTokenStore } from '../../token.ts'
import { changedStore } from './changed-store.ts'

type Missing = Extract<AuthEvent, { type: 'store.unshared' }>['missing']

/**
 * Returns a store whose sessions are this tab's own, since the browser has nothing to share them by. Their first login
 * says so.
 */
export function aloneIn(store: SharedTokenStore, missing: Missing): SharedTokenStore {
  return changedStore(store, (sharing, { name: scheme, origin, onEvent, rotation }) => {
    let isTold = false
    return {
      ...sharing,
      async obtain(attempt, signal) {
        if (!isTold) emit(onEvent, () => ({ type: 'store.unshared', scheme, origin, missing }))
        isTold = true
        // A rotating refresh token is not sent without a record of it, which has to be sealed.
        if (rotation || globalThis.crypto?.subtle) return sharing.obtain(attempt, signal)
        if (attempt.urgency === 'look') return { name: 'nothing-newer' }
        attempt.assertMayLogIn()
        return { name: 'issued', grant: await attempt.logIn() }
      },
    }
  })
}
