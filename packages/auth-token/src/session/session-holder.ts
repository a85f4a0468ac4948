import { assertNotAborted } from '@svc/auth-hooks/scheme'
import { type CredentialsSource, joinedKey, type SessionCredentials } from '../credentials.ts'
import { createRegistry, globalRegistry, type SessionEntry } from '../registry.ts'
import { createBackOff } from './back-off.ts'
import { conclude, type LoginSlot, type SessionUser, startLoginRun } from './login-run.ts'
import { createSession, type Session, type SessionReport, type TokenRequest } from './session.ts'
import { readInTime } from './session-login.ts'
import type { SessionAuthSettings } from './session-options.ts'
import type { Token } from '../token.ts'

/** A token, and the session that it is of. */
export interface SessionToken {
  readonly session: Session
  readonly token: Token
}

/** The session of a scheme: the one that belongs to its credentials, which may change. */
export interface SessionHolder {
  /** The scheme, as its session sees it. */
  readonly user: SessionUser
  /** Returns the token at hand; `undefined` if it has to be waited for. */
  tokenAtHand(singleUse: boolean): SessionToken | undefined
  /** Resolves to the token. */
  token(request: TokenRequest): Promise<SessionToken>
  /** Drops the token that the scheme was given last. */
  invalidate(): void
  report(): SessionReport
}

/** Finds the session of a scheme when it is first needed. */
export function holdSession(settings: SessionAuthSettings): SessionHolder {
  const { credentials, ofSession, onEvent, waitUntil, idleMs, sessionKey, owners } = settings
  const readCredentials = typeof credentials === 'function' ? credentials : undefined
  const ownRegistry = settings.session === 'own' ? createRegistry() : undefined
  let entry: SessionEntry | undefined
  let lastGiven = 0
  /** Holds the first call of the credentials function, without which no session is known. */
  const reading: LoginSlot = { login: undefined }

  const find = (own: SessionCredentials): SessionEntry =>
    (ownRegistry ?? globalRegistry()).find({
      key: joinedKey([...sessionKey, own.key.reveal()]),
      refusalKey: joinedKey([...ofSession.account, own.key.reveal()]),
      owners,
      credentials: own,
      idleMs,
      now: ofSession.clock(),
      createBackOff: () => createBackOff(ofSession),
      createSession: (backOff) => createSession(ofSession, own, backOff),
    })

  const user: SessionUser = {
    onEvent,
    waitUntil,
    readCredentials,
    // The token at hand is good until the other session has one.
    onOtherCredentials(other) {
      const next = find(other)
      const moved = next.session.token(user, { isFresh: true })
      moved.then(({ kind }) => kind === 'token' && (entry = next)).catch(() => {})
    },
  }

  const readFirst = async (signal: AbortSignal | undefined): Promise<SessionCredentials> => {
    for (;;) {
      assertNotAborted(signal)
      const isJoined = reading.login !== undefined
      const own =
        reading.login ??
        startLoginRun(reading, { user, timers: ofSession.timers }, async (run, abort) => {
          try {
            // Without a session, there are no fixed credentials.
            const read = readCredentials as CredentialsSource
            return { kind: 'moved', credentials: await readInTime(ofSession, abort, read), user }
          } finally {
            conclude(reading, run)
          }
        })
      const end = await own.wait(signal, isJoined)
      if (end.kind === 'moved') return end.credentials
      if (end.kind === 'failed') throw end.error
      conclude(reading, own)
    }
  }

  const session = (): Session | undefined => {
    if (!entry?.isCurrent()) {
      const known =
        entry?.credentials ?? (typeof credentials === 'function' ? undefined : credentials)
      entry = known && find(known)
    }
    return entry?.session
  }

  const give = (known: Session, token: Token): SessionToken => {
    lastGiven = token.generation
    return { session: known, token }
  }

  return {
    user,
    tokenAtHand(singleUse) {
      const known = session()
      const token = known?.tokenAtHand(user, singleUse)
      return known && token && give(known, token)
    },
    async token(request) {
      assertNotAborted(request.signal)
      let known = session()
      let isFresh = false
      const enter = (own: SessionCredentials): Session => {
        entry = find(own)
        isFresh = true
        return entry.session
      }
      for (;;) {
        known ??= enter(await readFirst(request.signal))
        const found = await known.token(user, { ...request, isFresh })
        if (found.kind === 'token') return give(known, found.token)
        known = enter(found.credentials)
      }
    },
    invalidate() {
      const known = session()
      // Others may share the session, and have a newer token.
      known?.invalidate(user, ownRegistry ? known.report().generation : lastGiven)
    },
    report: () =>
      session()?.report() ?? { state: reading.login ? 'logging-in' : 'empty', generation: 0 },
  }
}
