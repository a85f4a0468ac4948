import { assertNotAborted, emit } from '@svc/auth-hooks/scheme'
import {
  credentialsError,
  type CredentialsSource,
  keyOf,
  type SessionCredentials,
} from '../credentials.ts'
import { createBackOff } from './back-off.ts'
import { createCredentialsReader } from '../credentials-reader.ts'
import type { SessionAuthSettings } from './session-options.ts'
import { createRegistry, globalRegistry, type SessionEntry } from '../registry.ts'
import { createSession } from './session.ts'
import type { Session, SessionReport, SessionUser, TokenRequest } from './session-types.ts'
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
  const { credentials, ofSession, onEvent, waitUntil, idleMs, sessionKey, sessionOwners } = settings
  const { clock, name, origin, title } = ofSession
  const isShared = settings.session === 'shared'
  const readCredentials = typeof credentials === 'function' ? credentials : undefined
  const fixed = typeof credentials === 'function' ? undefined : credentials
  const ownRegistry = isShared ? undefined : createRegistry()
  const owners = sessionOwners.map(({ value }) => value)
  let entry: SessionEntry | undefined
  const last: { generation: number; error?: unknown } = { generation: 0 }
  const reader = createCredentialsReader(ofSession)

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

  const find = (own: SessionCredentials): SessionEntry => {
    const registry = ownRegistry ?? globalRegistry()
    const found = registry({
      key: keyOf([...sessionKey, own.key.reveal()]),
      owners,
      credentials: own,
      idleMs,
      now: clock(),
      previous: entry?.credentials === own ? entry : undefined,
      refusalKey: keyOf([...ofSession.account, own.key.reveal()]),
      createBackOff: () => createBackOff(ofSession),
      createSession: (backOff) => createSession(ofSession, own, backOff),
    })
    const { obstacle } = found
    if (isShared && obstacle !== undefined) {
      const reason = obstacle === 'full' ? obstacle : sessionOwners[obstacle]?.option
      const about = { scheme: name, origin } as const
      if (reason) emit(onEvent, () => ({ ...about, type: 'session.unshared', reason }))
    }
    return found.entry
  }

  const session = (): Session | undefined => {
    if (entry && !entry.hasLeft && !entry.era.isOver) return entry.session
    const known = entry?.credentials ?? fixed
    entry = known && find(known)
    return entry?.session
  }

  const token: SessionHolder['token'] = async (request) => {
    assertNotAborted(request.signal)
    let known = session()
    let isFresh = false
    for (let moves = 0; moves < mostMoves; moves += 1) {
      if (!known) {
        // Without a session, there are no fixed credentials.
        const read = readCredentials as CredentialsSource
        entry = find(await reader.read(read, request.signal))
        known = entry.session
        isFresh = true
      }
      const found = await known.token(user, { ...request, isFresh }).catch((error: unknown) => {
        last.error = error
        throw error
      })
      if (found.kind === 'token') return { session: known, token: found.token }
      entry = find(found.credentials)
      known = entry.session
      isFresh = true
    }
    throw credentialsError(title, 'the credentials function returned others each time')
  }

  return {
    user,
    session,
    token,
    given(generation) {
      last.generation = generation
    },
    invalidate: () => session()?.invalidate(user, isShared ? last : undefined),
    report() {
      const state = reader.isReading() ? 'logging-in' : 'empty'
      return session()?.report() ?? { state, generation: 0 }
    },
  }
}
