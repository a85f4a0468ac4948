import { createTokenAuth, type TokenAuth } from '@svc/auth-token'
import type { AuthEvent } from '@svc/types'
import { accountOf, type AccountName, type SessionName, sessionNames } from '../plan/operation.ts'
import { users } from '../service/users.ts'
import type { Stores } from './stores.ts'

/** The token sessions of the program. */
export interface SoakSessions {
  readonly of: (session: SessionName) => TokenAuth
  /** One more scheme, whose session is that of all others that were made so. */
  readonly fresh: (session: SessionName) => TokenAuth
  /** Returns the number of times that a store was of no use since it was called last, by account. */
  takeStoreFailures(): Readonly<Record<AccountName, number>>
}

/** The time that a login may take; a store is given up after a quarter of that. */
export const loginTimeoutMs = 8000

/** Opens sessions that share what they have to share; nothing is sent yet. */
export function openSessions(baseUrl: URL, stores: Stores, clock: () => number): SoakSessions {
  let failures = none
  const open = (session: SessionName, kind: 'shared' | 'own'): TokenAuth => {
    const account = accountOf(session)
    const { username, password, parentUid } = users[account]
    const store = stores.of[account]
    return createTokenAuth({
      baseUrl,
      credentials: { username, password, ...(parentUid !== undefined && { parentUid }) },
      ...(store && { store }),
      session: kind,
      loginTimeoutMs,
      clock,
      onEvent(event: AuthEvent) {
        if (event.type === 'store.failed') {
          failures = { ...failures, [account]: failures[account] + 1 }
        }
      },
    })
  }
  const sessions = new Map(sessionNames.map((name) => [name, open(name, 'own')]))
  return {
    of(session) {
      const found = sessions.get(session)
      if (!found) throw new Error(`there is no session ${session}`)
      return found
    },
    fresh: (session) => open(session, 'shared'),
    takeStoreFailures() {
      const taken = failures
      failures = none
      return taken
    },
  }
}

const none: Readonly<Record<AccountName, number>> = { memory: 0, file: 0, redis: 0 }
