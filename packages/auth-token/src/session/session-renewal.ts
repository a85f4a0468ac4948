import { abortable } from '@svc/auth-hooks/scheme'
import { signMs } from '../deadline.ts'
import { type LoginEnd, type LoginRun, startLoginRun } from './login-run.ts'
import { loginError } from '../login/login-errors.ts'
import type { Obtained } from './session-login.ts'
import { accept, conclude, type SessionState, validToken } from './session-state.ts'
import type { SessionUser } from './session-types.ts'
import { isAhead, type Token, type Urgency } from '../token.ts'

/** Begins what is due, and what may give a better token to a request that can be sent only once. */
export function renew(
  state: SessionState,
  user: SessionUser,
  { renewAt, expiresAt }: Token,
  now: number,
  singleUse: boolean,
): void {
  const { settings, sharing, backOff, changedAt } = state
  if (state.login) return
  const begin = (urgency: Urgency): void => {
    const { ended } = startLogin(state, urgency, user)
    void ended.then((end) => end.kind === 'moved' && user.onOtherCredentials?.(end.credentials))
  }
  const isDue = now >= renewAt && !backOff.activePause(now)
  if (isDue && !isAhead(changedAt + signMs, now, signMs)) {
    if (now >= (renewAt + expiresAt) / 2) return begin('log-in')
    // A login ends the session of the token before, and with it requests that are under way.
    const isDrained = !settings.uniqueSession || state.inFlight === 0
    if (isDrained && sharing?.isReachable() !== false) return begin('renew')
  }
  if (singleUse && sharing?.isReachable()) begin('look')
}

/** Begins a login, and makes it the one that the session waits for. */
export function startLogin(
  state: SessionState,
  urgency: Urgency,
  user: SessionUser,
  isFresh = false,
): LoginRun {
  const { settings, about, generation } = state
  state.token = validToken(state)
  const run = {
    user,
    timers: settings.timers,
    about,
    generation,
    isWanted: () => state.inFlight > 0 || settings.spending !== undefined,
    patience: () => state.patience,
    onBegun: (own: LoginRun) => void (state.login = state.observed = own),
    onUnwanted: (own: LoginRun) => giveUp(state, own),
    onToken: (seconds: number) => void (state.patience = Math.max(1, 2 * seconds)),
  }
  return startLoginRun(run, async (own, signal) => {
    try {
      return await logIn(state, own, urgency, isFresh, signal)
    } finally {
      if (state.observed === own) state.observed = undefined
    }
  })
}

/** Ends a login that lasts, and whose token nobody is there to use: another may be made for the next caller. */
function giveUp(state: SessionState, own: LoginRun): void {
  const { backOff, settings, onEvent } = state
  state.patience *= 2
  if (conclude(state, own)) {
    const what = 'got no response while anyone waited'
    const error = loginError(settings.title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
    backOff.failed(error, !validToken(state), onEvent)
  }
  own.cancel()
}

async function logIn(
  state: SessionState,
  own: LoginRun,
  urgency: Urgency,
  isFresh: boolean,
  signal: AbortSignal,
): Promise<LoginEnd> {
  const { settings, backOff, replacing, onEvent } = state
  try {
    for (let needed = urgency; ; needed = 'log-in') {
      const { refreshToken, lastValue } = state
      const wish = {
        urgency: needed,
        isFresh,
        refreshToken,
        lastValue,
        validToken: () => validToken(state),
        replacements: () => replacing.count,
        assertMayLogIn: () => backOff.assertMayLogIn(state.login === own),
      }
      const obtained = state.obtain(own, wish, signal)
      // A refresh that is on the wire tells by its own end if the refresh token was lost.
      const outcome = await (settings.spending ? obtained : abortable(obtained, signal))
      const end = endOf(state, own, outcome)
      if (end) return end
      // It was refused or ran out while the store was asked.
    }
  } catch (error) {
    throw conclude(state, own) ? backOff.failed(error, !validToken(state), onEvent) : error
  }
}

/** Returns the end of a login for its waiters; `undefined` if another attempt has to be made. */
function endOf(state: SessionState, own: LoginRun, outcome: Obtained): LoginEnd | undefined {
  switch (outcome.name) {
    case 'moved':
      state.changedAt = state.settings.clock()
      conclude(state, own)
      return { kind: 'moved', credentials: outcome.credentials, user: own.user }
    case 'locked-out': {
      const isOwn = conclude(state, own)
      const error = isOwn ? state.backOff.lockedOut(outcome, state.onEvent) : outcome.error
      return { kind: 'failed', error }
    }
    case 'failed':
      throw outcome.error
    case 'nothing-newer': {
      const held = validToken(state)
      if (held) conclude(state, own)
      return held && { kind: 'token', token: held }
    }
    default:
      return { kind: 'token', token: accept(state, own, outcome) }
  }
}
