import { assertNotAborted, emit, nextTurn } from '@svc/auth-hooks/scheme'
import { type BackOff, createBackOff, isRefusal } from './back-off.ts'
import type { SessionCredentials } from '../credentials.ts'
import type { SessionSettings } from './session-options.ts'
import { renew, startLogin } from './session-renewal.ts'
import { conclude, createState, type SessionState, touch, validToken } from './session-state.ts'
import type {
  LastGiven,
  Session,
  SessionReport,
  SessionUser,
  TokenFound,
  TokenRequest,
} from './session-types.ts'
import type { Pause } from '../token.ts'

/** Returns a session with no token yet. Nothing happens until it is asked for one. */
export function createSession(
  settings: SessionSettings,
  credentials: SessionCredentials,
  backOff: BackOff = createBackOff(settings),
): Session {
  const state = createState(settings, credentials, backOff)
  const { clock } = settings
  return {
    token: (user, request = {}) => getToken(state, user, request),
    tokenAtHand(user, singleUse) {
      const now = touch(state)
      const held = validToken(state, now)
      // Nearly every request ends here.
      if (!held || (now < held.renewAt && !singleUse)) return held
      renew(state, user, held, now, singleUse)
      return singleUse && state.login ? undefined : held
    },
    requestBegan(used) {
      if (used === state.generation) state.inFlight += 1
    },
    requestEnded(user, used, now = clock()) {
      if (used !== state.generation) return
      state.inFlight = Math.max(0, state.inFlight - 1)
      const held = validToken(state, touch(state, now))
      if (held) renew(state, user, held, now, false)
    },
    rejected: (user, used, status, target) => rejected(state, user, used, status, target),
    accepted(used, target, now = clock()) {
      if (used === state.generation) state.replacing.accepted(target, now)
    },
    invalidate: (user, last) => invalidate(state, user, last),
    usedAt: () => state.usedAt,
    // Not all clients tell of the end of a request.
    isInUse: () =>
      state.login !== undefined || (state.inFlight > 0 && validToken(state) !== undefined),
    report: () => report(state),
  }
}

/** Returns the token at hand, or waits for a login, and for the next one if that was given up. */
async function getToken(
  state: SessionState,
  user: SessionUser,
  request: TokenRequest,
): Promise<TokenFound> {
  const { signal, singleUse = false } = request
  for (let { isFresh = false } = request; ; isFresh = false) {
    assertNotAborted(signal)
    const now = touch(state)
    const held = validToken(state, now)
    const isJoined = state.login !== undefined
    if (held) {
      renew(state, user, held, now, singleUse)
      // A request that can be sent again takes what is there.
      if (!singleUse || !state.login) return { kind: 'token', token: held }
    }
    const pause = state.login ? undefined : state.backOff.activePause(now)
    if (pause && !mayBeOver(state, pause, user)) throw pause.error
    const own = state.login ?? startLogin(state, 'log-in', user, isFresh)
    const end = await own.wait(signal, isJoined)
    if (end.kind === 'token') return end
    if (end.kind === 'moved' && end.user === user) return end
    if (end.kind === 'failed') {
      const stillValid = held && validToken(state)
      if (stillValid) return { kind: 'token', token: stillValid }
      throw end.error
    }
    if (end.kind === 'dead') conclude(state, own)
    // Not at once: a credentials function that invalidates would keep everything else waiting.
    else await new Promise<void>((resolve) => nextTurn(resolve))
  }
}

/** Tells if a pause may be over early: other credentials, or a login of another session. */
function mayBeOver(
  { sharing }: SessionState,
  { error }: Pause,
  { readCredentials }: SessionUser,
): boolean {
  return sharing?.isReachable() || (readCredentials !== undefined && isRefusal(error))
}

function rejected(
  state: SessionState,
  user: SessionUser,
  used: number,
  status: number,
  target: string,
): boolean | Promise<boolean> {
  const { about, replacing, settings, sharing, token } = state
  emit(user.onEvent, () => ({ ...about, type: 'token.rejected', generation: used, status }))
  // A late refusal of an old token drops no newer one.
  if (token?.generation !== used) return true
  if (replacing.allows(token, target, settings.clock())) {
    state.token = undefined
    return true
  }
  // No login would help, but others may have a better token.
  const isJoined = state.login !== undefined
  if (!isJoined && !sharing?.mayHaveBetter()) return false
  const better = (state.login ?? startLogin(state, 'replace', user)).wait(undefined, isJoined)
  return better.then((end) => {
    if (end.kind === 'token') return end.token.generation !== used
    return end.kind === 'moved' || end.kind === 'superseded'
  })
}

function invalidate(state: SessionState, user: SessionUser, last: LastGiven | undefined): void {
  const { about, backOff, generation, login, replacing, settings, sharing, token } = state
  const isAll = last === undefined
  const ownLogin = isAll || login?.user === user ? login : undefined
  const dropsToken = isAll || (token !== undefined && token.generation === last.generation)
  const liftsPause = backOff.lift(isAll ? undefined : last.error, isAll)
  if (!dropsToken && !liftsPause && !ownLogin) return
  if (ownLogin) state.login = undefined
  if (dropsToken) state.token = undefined
  if (dropsToken || liftsPause) {
    replacing.reset()
    sharing?.skipStored()
  }
  emit(user.onEvent, () => ({ ...about, type: 'token.invalidated', generation }))
  try {
    // Its token is not wanted any more, and might end the session of the next one; the next refresh token is.
    if (!settings.spending) ownLogin?.cancel()
  } catch {
    // In workerd it is another request's, whose controller must not be touched.
  }
}

function report(state: SessionState): SessionReport {
  const { backOff, generation, login, settings, sharing } = state
  const now = settings.clock()
  const held = validToken(state, now)
  const retryAt = backOff.activePause(now)?.retryAt
  return {
    state: held ? 'valid' : login ? 'logging-in' : retryAt ? 'paused' : 'empty',
    generation,
    ...(held && { expiresAt: held.expiresAt }),
    ...(retryAt && { retryAt }),
    ...(sharing?.hasUnstored() && { unstored: true }),
  }
}
