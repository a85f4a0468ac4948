import { assertNotAborted } from '@svc/auth-hooks/scheme'
import { credentialsError, keyOf, type SessionCredentials } from '../credentials.ts'
import { createRegistry, globalRegistry, type SessionEntry } from '../registry.ts'
import { createBackOff } from './back-off.ts'
import { type LoginRun, type SessionUser, startLoginRun } from './login-run.ts'
import { inLoginTime } from './obtain-token.ts'
import { createSession, type Session, type SessionReport, type TokenRequest } from './session.ts'
import type { SessionAuthSettings } from './session-options.ts'
import type { Token } from '../token.ts'

/** The session of a scheme: the one that belongs to its credentials, which may change. */
export interface SessionHolder {
  /** The scheme, as its session sees it. */
  readonly user: SessionUser
  /** Returns the session; `undefined` until the credentials function was called. */
  session(): Session | undefined
  /** Resolves to the token, and to the session that it is of. */
  token(request: TokenRequest): Promise<{ readonly session: Session; readonly token: Token }>
  /** Takes note of the token that the scheme was given. */
  given(generation: number): void
  invalidate(): void
  report(): SessionReport
}

/** Bounds the sessions that one request is taken to, by credentials that change each time. */
const mostMoves = 8

/** Finds the session of a scheme when it is first needed. */
export function holdSession(settings: SessionAuthSettings): SessionHolder {
  const { credentials, ofSession, onEvent, waitUntil, idleMs, sessionKey, owners } = settings
  const readCredentials = typeof credentials === 'function' ? credentials : undefined
  const ownRegistry = settings.session === 'own' ? createRegistry() : undefined
  let entry: SessionEntry | undefined
  let lastGiven = 0
  /** The first call of the credentials function, without which no session is known. */
  let reading: LoginRun | undefined

  const find = (own: SessionCredentials): SessionEntry =>
    (ownRegistry ?? globalRegistry())({
      key: keyOf([...sessionKey, own.key.reveal()]),
      refusalKey: keyOf([...ofSession.account, own.key.reveal()]),
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

  const leave = (own: LoginRun): void => {
    if (reading === own) reading = undefined
  }
  const beginReading = (): LoginRun =>
    startLoginRun(
      {
        user,
        timers: ofSession.timers,
        generation: 0,
        isWanted: () => false,
        onBegun: (own) => void (reading = own),
        onUnwanted(own) {
          leave(own)
          own.cancel()
        },
      },
      async (own, signal) => {
        try {
          // Without a session, there are no fixed credentials.
          const read = readCredentials as NonNullable<typeof readCredentials>
          const found = await inLoginTime(ofSession, own.progress, signal, read)
          return { kind: 'moved', credentials: found, user }
        } finally {
          leave(own)
        }
      },
    )
  const readFirst = async (signal: AbortSignal | undefined): Promise<SessionCredentials> => {
    for (;;) {
      assertNotAborted(signal)
      const isJoined = reading !== undefined
      const own = reading ?? beginReading()
      const end = await own.wait(signal, isJoined)
      if (end.kind === 'moved') return end.credentials
      if (end.kind === 'failed') throw end.error
      leave(own)
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

  const token: SessionHolder['token'] = async (request) => {
    assertNotAborted(request.signal)
    let known = session()
    let isFresh = false
    const enter = (own: SessionCredentials): Session => {
      entry = find(own)
      isFresh = true
      return entry.session
    }
    for (let moves = 0; moves < mostMoves; moves += 1) {
      known ??= enter(await readFirst(request.signal))
      const found = await known.token(user, { ...request, isFresh })
      if (found.kind === 'token') return { session: known, token: found.token }
      known = enter(found.credentials)
    }
    const what = 'the credentials function returned others each time'
    throw credentialsError(ofSession.title, what)
  }

  return {
    user,
    session,
    token,
    given: (generation) => void (lastGiven = generation),
    invalidate() {
      const known = session()
      // Others may share the session, and have a newer token.
      known?.invalidate(user, ownRegistry ? known.report().generation : lastGiven)
    },
    report: () => session()?.report() ?? { state: reading ? 'logging-in' : 'empty', generation: 0 },
  }
}
