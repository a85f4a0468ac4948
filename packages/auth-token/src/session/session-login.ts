import { abortable, emit } from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import type { CredentialsSource, SessionCredentials } from '../credentials.ts'
import { inTime } from '../timers.ts'
import { requestLogin } from '../login/login.ts'
import { loginError } from '../login/login-errors.ts'
import type { BackOff } from './back-off.ts'
import {
  conclude,
  type LoginEnd,
  type LoginRun,
  type LoginSlot,
  type SessionUser,
  startLoginRun,
} from './login-run.ts'
import type { Replacements } from './replacement.ts'
import type { SessionSettings } from './session-options.ts'
import {
  type Grant,
  issueToken,
  type LoginAttempt,
  type LoginOutcome,
  type Sharing,
  type Token,
  type Urgency,
} from '../token.ts'

/** The time for which no renewal is tried that found the credentials of its scheme to be others. */
const otherCredentialsMs = 1000

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionState extends LoginSlot {
  readonly settings: SessionSettings
  readonly credentials: SessionCredentials
  readonly sharing: Sharing | undefined
  /** Tells the scheme whose login was begun last, until that is over. */
  readonly onEvent: (event: AuthEvent) => unknown
  readonly about: { readonly scheme: string; readonly origin: string }
  readonly backOff: BackOff
  readonly replacing: Replacements
  last: Token | undefined
  /** `true` once that was refused or dropped. */
  isDropped: boolean
  /** Given by the last login that gave one. */
  refreshToken: string | undefined
  /** Requests under way with the last token. */
  inFlight: number
  /** The login whose user hears of events. */
  observed: LoginRun | undefined
  usedAt: number
}

/** Returns the token that can be used now. */
export function validToken(
  state: SessionState,
  now: number = state.settings.clock(),
): Token | undefined {
  const { last, isDropped } = state
  return last && !isDropped && now < last.expiresAt ? last : undefined
}

/** Begins a login, and makes it the one that the session waits for. */
export function startLogin(
  state: SessionState,
  urgency: Urgency,
  user: SessionUser,
  wereJustRead = false,
): LoginRun {
  const { settings, about, last } = state
  const { timers, rotation } = settings
  const generation = last?.generation ?? 0
  const isWanted = (): boolean =>
    state.inFlight > 0 || (rotation !== undefined && !state.sharing?.isAsking?.())
  const work = async (own: LoginRun, signal: AbortSignal): Promise<LoginEnd> => {
    try {
      return await runLogin(state, own, urgency, wereJustRead, signal)
    } catch (error) {
      throw conclude(state, own) ? state.backOff.noteFailed(error, state.onEvent) : error
    } finally {
      if (state.observed === own) state.observed = undefined
    }
  }
  const run = startLoginRun(state, { user, timers, about, generation, isWanted }, work)
  state.observed = run
  return run
}

async function runLogin(
  state: SessionState,
  own: LoginRun,
  urgency: Urgency,
  wereJustRead: boolean,
  signal: AbortSignal,
): Promise<LoginEnd> {
  const { settings } = state
  for (let needed = urgency; ; needed = 'log-in') {
    const obtained = obtainToken(state, own.user, needed, wereJustRead, signal)
    // A refresh that is on the wire tells by its own end if the refresh token was lost.
    const outcome = await (settings.rotation ? obtained : abortable(obtained, signal))
    const end = finish(state, own, outcome)
    if (end) return end
    // The token was refused or ran out while the store was asked.
  }
}

/** The end of an attempt to get a token, or the credentials that a scheme has now. */
type Obtained = LoginOutcome | { readonly name: 'moved'; readonly credentials: SessionCredentials }

/** Gets a token from the service, or by way of the store: reads the credentials, claims the login, sends it. */
async function obtainToken(
  state: SessionState,
  user: SessionUser,
  urgency: Urgency,
  wereJustRead: boolean,
  signal: AbortSignal,
): Promise<Obtained> {
  const { about, backOff, credentials, onEvent, replacing, settings, sharing } = state
  const { refreshToken } = state
  const { readCredentials } = user
  signal.throwIfAborted()
  if (readCredentials && !wereJustRead && urgency !== 'look') {
    const current = await readInTime(settings, signal, readCredentials)
    if (current.key.reveal() !== credentials.key.reveal()) {
      return { name: 'moved', credentials: current }
    }
  }
  const assertMayLogIn = (): void => {
    const pause = backOff.activePause(settings.clock())
    if (pause) throw pause
  }
  const sendLogin: LoginAttempt['logIn'] = async (stored = refreshToken, beforeSending?) => {
    // Its token would be given to all who have the key that they had before.
    if (credentials.areSame?.() === false) {
      const what = 'was not sent: the credentials were changed after keyOf had read them'
      throw loginError(settings.title, 'ERR_AUTH_CREDENTIALS', what)
    }
    emit(onEvent, () => ({ ...about, type: 'login.start' }))
    return requestLogin(settings, credentials, signal, stored, beforeSending)
  }
  if (!sharing) {
    assertMayLogIn()
    return { name: 'issued', grant: await sendLogin() }
  }
  const attempt: LoginAttempt = {
    urgency,
    credentials,
    lastValue: state.last?.value,
    validToken: () => validToken(state),
    replacements: () => replacing.count,
    assertMayLogIn,
    logIn: sendLogin,
  }
  return sharing.obtain(attempt, signal)
}

/** Reads the credentials of a scheme, in the time of a login. */
export function readInTime(
  { loginTimeoutMs, timers, title }: SessionSettings,
  signal: AbortSignal,
  read: CredentialsSource,
): Promise<SessionCredentials> {
  const what = `was not sent within ${loginTimeoutMs} ms (loginTimeoutMs): the credentials function did not return`
  const late = (): unknown => loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', what)
  return inTime(timers, loginTimeoutMs, late, signal, read)
}

/** Returns the end of a login for its waiters; `undefined` if another attempt has to be made. */
function finish(state: SessionState, own: LoginRun, outcome: Obtained): LoginEnd | undefined {
  switch (outcome.name) {
    case 'moved': {
      const held = validToken(state)
      const renewAt = state.settings.clock() + otherCredentialsMs
      if (held) state.last = { ...held, renewAt: Math.max(held.renewAt, renewAt) }
      conclude(state, own)
      return { kind: 'moved', credentials: outcome.credentials, user: own.user }
    }
    case 'locked-out': {
      const isOwn = conclude(state, own)
      const error = isOwn ? state.backOff.lockedOut(outcome, state.onEvent) : outcome.error
      return { kind: 'failed', error }
    }
    case 'nothing-newer': {
      const held = validToken(state)
      if (held) conclude(state, own)
      return held && { kind: 'token', token: held }
    }
    default:
      return { kind: 'token', token: accept(state, own, outcome.grant) }
  }
}

/** Makes the token of a login that of the session. */
function accept(state: SessionState, own: LoginRun, grant: Grant): Token {
  const { about, replacing, settings } = state
  const { clock, random, renewBeforeMs } = settings
  const last = { generation: state.last?.generation ?? 0, replacements: replacing.count }
  const next = issueToken(grant, last, renewBeforeMs, clock(), random)
  // Only those who wait for a login that was given up get its token.
  if (!conclude(state, own)) return { ...next, generation: 0 }
  replacing.count = 0
  replacing.accepting.clear()
  state.backOff.reset()
  state.last = next
  state.isDropped = false
  state.refreshToken = grant.refreshToken ?? state.refreshToken
  state.inFlight = 0
  const { expiresAt, generation, isAdopted } = next
  const type = isAdopted ? 'token.adopted' : 'login.ok'
  emit(state.onEvent, () => ({ ...about, type, generation, expiresAt }))
  return next
}
