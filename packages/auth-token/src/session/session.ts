import { assertNotAborted, emit, nextTurn } from '@svc/auth-hooks/scheme'
import { type BackOff, createBackOff, mayBeRefusal } from './back-off.ts'
import type { SessionCredentials } from '../credentials.ts'
import { conclude, type LoginEnd, type SessionUser } from './login-run.ts'
import { noteAccepted, noteRefused } from './replacement.ts'
import { type SessionState, startLogin, validToken } from './session-login.ts'
import type { SessionSettings, SharingSettings } from './session-options.ts'
import { type Sharing, sharingFactory, type Token, type Urgency } from '../token.ts'

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionReport {
  /**
   * `empty`: no token and no login in progress; `logging-in`: no token yet; `valid`: a token, also while it
   * is being renewed; `paused`: no token, and no login until `retryAt`.
   */
  readonly state: 'empty' | 'logging-in' | 'valid' | 'paused'
  /** When the token expires, if there is one. */
  readonly expiresAt?: number
  /** When the next login may be made, if it has to wait. */
  readonly retryAt?: number
  /** `true` while the next refresh token is known to this process alone, since the store did not take it. */
  readonly unstored?: true
  /** The number of the last token; with a store, the generation of its record. */
  readonly generation: number
}

/** The wish for a token. */
export interface TokenRequest {
  readonly signal?: AbortSignal | undefined
  /** `true` for a request that can be sent only once. */
  readonly singleUse?: boolean | undefined
  /** `true` if the credentials of the session have just been read. */
  readonly wereJustRead?: boolean | undefined
}

/** A token, or the credentials that the scheme has now, of which this session is not. */
export type TokenFound = Extract<LoginEnd, { readonly kind: 'token' | 'moved' }>

/** One token for many callers: its login, those who wait for it, its renewal and its replacement. */
export interface Session {
  /**
   * Returns the token at hand, and begins its renewal if that is due. Returns `undefined` for a
   * single-use request that may get a better one.
   */
  tokenAtHand(user: SessionUser, singleUse: boolean): Token | undefined
  /** Resolves to the token, after a login if one is needed. */
  token(user: SessionUser, request?: TokenRequest): Promise<TokenFound>
  /** Counts a request that leaves with the token of this generation. */
  requestBegan(generation: number): void
  requestEnded(user: SessionUser, generation: number): void
  /** Takes note of a refusal. Returns `true` if the request can be tried again with another token. */
  rejected(user: SessionUser, generation: number, status: number, target: string): boolean
  /** Takes note of a request for this target whose token was not refused. */
  accepted(generation: number, target: string): void
  /** Drops the token of this generation, the login that the user began, and a pause. */
  invalidate(user: SessionUser, generation: number): void
  report(): SessionReport
  usedAt(): number
  isInUse(): boolean
}

/** Returns a session with no token yet. Nothing happens until it is asked for one. */
export function createSession(
  settings: SessionSettings,
  credentials: SessionCredentials,
  backOff: BackOff = createBackOff(settings),
): Session {
  const onEvent: SessionState['onEvent'] = (event) => state.observed?.user.onEvent?.(event)
  const { store } = settings
  const sharingSettings: SharingSettings = { ...settings, onEvent }
  const state: SessionState = {
    settings,
    credentials,
    // As the type of the store says.
    sharing: store?.[sharingFactory](store, sharingSettings as never) as Sharing | undefined,
    onEvent,
    about: { scheme: settings.name, origin: settings.origin },
    backOff,
    replacing: { count: 0, accepting: new Set() },
    last: undefined,
    isDropped: false,
    refreshToken: undefined,
    inFlight: 0,
    login: undefined,
    observed: undefined,
    usedAt: settings.clock(),
  }
  return {
    token: (user, request = {}) => getToken(state, user, request),
    tokenAtHand(user, singleUse) {
      const now = touch(state)
      const held = validToken(state, now)
      // Nearly every request ends here.
      if (!held || (now < held.renewAt && !singleUse)) return held
      beginIfDue(state, user, held, now, singleUse, state.inFlight + (singleUse ? 0 : 1))
      return singleUse && state.login ? undefined : held
    },
    requestBegan(used) {
      if (used === state.last?.generation) state.inFlight += 1
    },
    requestEnded(user, used) {
      if (used !== state.last?.generation) return
      state.inFlight = Math.max(0, state.inFlight - 1)
      const now = touch(state)
      const held = validToken(state, now)
      if (held) beginIfDue(state, user, held, now, false)
    },
    rejected: (...given) => rejected(state, ...given),
    accepted(used, target) {
      if (used === state.last?.generation) noteAccepted(state.replacing, target)
    },
    invalidate: (...given) => invalidate(state, ...given),
    usedAt: () => state.usedAt,
    // Not all clients tell of the end of a request.
    isInUse: () => Boolean(state.login ?? (state.inFlight > 0 && validToken(state))),
    report: () => report(state),
  }
}

/** Takes note that the session is used, of which its store is told. */
function touch(state: SessionState): number {
  state.usedAt = state.settings.clock()
  if (state.sharing?.used()) state.isDropped = true
  return state.usedAt
}

/** Returns the token at hand, or waits for a login, and for the next one if that was given up. */
async function getToken(
  state: SessionState,
  user: SessionUser,
  { signal, singleUse = false, wereJustRead = false }: TokenRequest,
): Promise<TokenFound> {
  for (let justRead = wereJustRead; ; justRead = false) {
    assertNotAborted(signal)
    const now = touch(state)
    const held = validToken(state, now)
    const isJoined = state.login !== undefined
    if (held) {
      beginIfDue(state, user, held, now, singleUse)
      // A request that can be sent again takes what is there; of a unique session, a login may end it meanwhile.
      const waits = state.login && (singleUse || state.settings.uniqueSession)
      if (!waits) return { kind: 'token', token: held }
    }
    const pause = state.login ? undefined : state.backOff.activePause(now)
    // Other credentials, or a login of another session, may end it early.
    const mayBeOver = user.readCredentials !== undefined && pause && mayBeRefusal(pause)
    if (pause && !mayBeOver && !state.sharing?.isReachable()) throw pause
    const own = state.login ?? startLogin(state, 'log-in', user, justRead)
    const end = await own.wait(signal, isJoined)
    if (end.kind === 'token') return end
    const stillValid = held && end.kind !== 'gone' && validToken(state)
    if (stillValid) return { kind: 'token', token: stillValid }
    if (end.kind === 'moved' && end.user === user) return end
    if (end.kind === 'failed') throw end.error
    conclude(state, own)
    // Not at once: a credentials function that invalidates would keep everything else waiting.
    await new Promise<void>((resolve) => nextTurn(resolve))
  }
}

/** Begins what is due, and what may give a better token to a request that can be sent only once. */
function beginIfDue(
  state: SessionState,
  user: SessionUser,
  { renewAt, expiresAt }: Token,
  now: number,
  singleUse: boolean,
  inFlight = state.inFlight,
): void {
  const { settings, sharing, backOff } = state
  if (state.login) return
  const begin = (urgency: Urgency): void => {
    const { ended } = startLogin(state, urgency, user)
    void ended.then((end) => end.kind === 'moved' && user.onOtherCredentials?.(end.credentials))
  }
  if (now >= renewAt && !backOff.activePause(now)) {
    if (now >= (renewAt + expiresAt) / 2) return begin('log-in')
    // A login ends the session of the token before, and with it requests under way: also the one that finds this.
    const isDrained = !settings.uniqueSession || inFlight === 0
    if (isDrained && sharing?.isReachable() !== false) return begin('renew')
  }
  if (singleUse && sharing?.isReachable()) begin('look')
}

function rejected(
  state: SessionState,
  user: SessionUser,
  used: number,
  status: number,
  target: string,
): boolean {
  const { about, replacing, settings } = state
  emit(user.onEvent, () => ({ ...about, type: 'token.rejected', generation: used, status }))
  const held = validToken(state)
  // A late refusal of an old token drops no newer one.
  if (held?.generation !== used) return true
  // A login that is under way costs no other one.
  if (!noteRefused(replacing, held, target, settings.clock()) && !state.login) return false
  state.isDropped = true
  return true
}

function invalidate(state: SessionState, user: SessionUser, generation: number): void {
  const { about, backOff, last, login, replacing, settings, sharing } = state
  const ownLogin = login?.user === user ? login : undefined
  const dropsToken = last !== undefined && !state.isDropped && last.generation === generation
  const liftsPause = backOff.lift()
  replacing.count = 0
  const isOver = dropsToken || liftsPause || ownLogin
  sharing?.invalidate(isOver)
  if (!isOver) return
  if (ownLogin) state.login = undefined
  if (dropsToken) state.isDropped = true
  const before = last?.generation ?? 0
  emit(user.onEvent, () => ({ ...about, type: 'token.invalidated', generation: before }))
  try {
    // Its token is not wanted any more, and might end the session of the next one; the next refresh token is.
    if (!settings.rotation) ownLogin?.cancel()
  } catch {
    // In workerd it is another request's, whose controller must not be touched.
  }
}

function report(state: SessionState): SessionReport {
  const { backOff, last, login, settings, sharing } = state
  const now = settings.clock()
  const held = validToken(state, now)
  const retryAt = backOff.activePause(now)?.retryAt
  return {
    state: held ? 'valid' : login ? 'logging-in' : retryAt ? 'paused' : 'empty',
    generation: last?.generation ?? 0,
    ...(held && { expiresAt: held.expiresAt }),
    ...(retryAt && { retryAt }),
    ...(sharing?.hasUnstored() && { unstored: true }),
  }
}
