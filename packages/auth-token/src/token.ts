import { AuthError } from '@svc/auth-hooks'
import { holdAfter, isLatching, longestPauseMs, pauseMs } from './back-off.ts'

/** A token and what is known of it. Instants are epoch milliseconds. */
export interface Token {
  readonly value: string
  /** Counts the tokens of a session; 0 for one that came too late to be kept. */
  readonly generation: number
  readonly issuedAt: number
  readonly expiresAt: number
  readonly renewAt: number
  /** How many logins in a row, that of this token included, were made since a token was refused. */
  readonly replacements: number
  /** Whether it came from a store, by the login of another session. */
  readonly isAdopted: boolean
}

/** What a session got for its credentials: from a login, or from a store that others share. */
export interface Grant {
  readonly value: string
  readonly lifetimeMs: number
  /** Its number in the store. */
  readonly generation?: number | undefined
  /** What the session that logged in knows of it, where that was another one. */
  readonly adopted?: { readonly issuedAt: number; readonly replacements: number } | undefined
}

/** No login is made until `retryAt`. */
export interface Pause {
  readonly retryAt: number
  readonly error: AuthError
}

/** Until when a session has to leave credentials alone that were refused. */
export interface Latch {
  readonly retryAt: number
  /** How often in a row they were refused. */
  readonly refusals: number
}

/** What every state knows. */
interface History {
  /** That of the last token. */
  readonly generation: number
  /** The number of the last login that was started. */
  readonly attempt: number
  /** Logins refused for their credentials, in a row. */
  readonly refusals: number
  /** Logins that failed otherwise, in a row. */
  readonly failures: number
  /** What the next token will have as its own; 0 where the last one was not refused. */
  readonly replacements: number
  readonly pause: Pause | undefined
}

/** The states of a session. A token that has expired stays where it is until it is asked for. */
export type SessionState =
  | (History & { readonly name: 'empty' })
  | (History & { readonly name: 'logging-in'; readonly startedAt: number })
  | (History & { readonly name: 'valid'; readonly token: Token })
  | (History & { readonly name: 'renewing'; readonly token: Token; readonly startedAt: number })
  | (History & { readonly name: 'latched'; readonly pause: Pause })

/** How far the renewal of a token is: `pressing` where it can wait for nothing any more. */
export type Renewal = 'none' | 'due' | 'pressing' | 'pending'

/** What a caller who needs a token has to do. */
export type Step =
  | { readonly name: 'use'; readonly token: Token; readonly renewal: Renewal }
  | { readonly name: 'wait' }
  | { readonly name: 'log-in' }
  | { readonly name: 'fail'; readonly pause: Pause }

/** So many in a row are not held where each was accepted first: a service may well end sessions. */
const freeReplacements = 10
/** After that long a token that is refused has had its time, whether or not it ever helped. */
const longEnoughMs = 60_000

/** The state before the first login. */
export const initialState: SessionState = {
  name: 'empty',
  generation: 0,
  attempt: 0,
  refusals: 0,
  failures: 0,
  replacements: 0,
  pause: undefined,
}

/** What a caller who needs a token has to do now. */
export function nextStep(state: SessionState, now: number, loginTimeoutMs: number): Step {
  // In workerd a login dies unsettled with the request that began it, so an overdue one is replaced.
  const isPending =
    'startedAt' in state && isAhead(state.startedAt + loginTimeoutMs, now, loginTimeoutMs)
  const pause = activePause(state, now)
  const token = validToken(state, now)
  if (token) {
    const renewal = isPending ? 'pending' : pause ? 'none' : renewalOf(token, now)
    return { name: 'use', token, renewal }
  }
  if (isPending) return { name: 'wait' }
  return pause ? { name: 'fail', pause } : { name: 'log-in' }
}

/** So far clocks are set while they run. */
const settingMs = 5000

/** What keeps from a login now. */
export function activePause({ pause }: SessionState, now: number): Pause | undefined {
  return pause && isAhead(pause.retryAt, now, longestPauseMs) ? pause : undefined
}

/** Whether an instant is ahead, and no further than it can be unless the clock was set back. */
export function isAhead(instant: number, now: number, atMostMs: number): boolean {
  return now < instant && instant - now <= atMostMs + settingMs
}

function renewalOf({ renewAt, expiresAt }: Token, now: number): Renewal {
  if (now < renewAt) return 'none'
  return now < (renewAt + expiresAt) / 2 ? 'due' : 'pressing'
}

/** The token that can be used now. */
export function validToken(state: SessionState, now: number): Token | undefined {
  return 'token' in state && now < state.token.expiresAt ? state.token : undefined
}

/** A login begins; one that is still under way is given up. */
export function loginStarted(state: SessionState, now: number): SessionState {
  const started = { ...history(state), attempt: state.attempt + 1, startedAt: now }
  const token = validToken(state, now)
  return token ? { ...started, name: 'renewing', token } : { ...started, name: 'logging-in' }
}

/** Whether this login is the one that the session waits for. */
export function isCurrent(state: SessionState, attempt: number): boolean {
  return 'startedAt' in state && state.attempt === attempt
}

/** A login gave a token, or a store that others share. */
export function loginSucceeded(
  state: SessionState,
  { value, lifetimeMs, generation: shared = 0, adopted }: Grant,
  renewBeforeMs: number,
  now: number,
  random: () => number,
): SessionState & { readonly token: Token } {
  const generation = Math.max(state.generation + 1, shared)
  const expiresAt = now + lifetimeMs
  const aheadMs = Math.max(0, Math.min(renewBeforeMs, lifetimeMs / 2))
  const token: Token = {
    value,
    generation,
    issuedAt: Math.min(adopted?.issuedAt ?? now, now),
    expiresAt,
    renewAt: expiresAt - aheadMs * (1 - random() / 2),
    replacements: adopted?.replacements ?? state.replacements,
    isAdopted: adopted !== undefined,
  }
  return { ...initialState, name: 'valid', generation, attempt: state.attempt, token }
}

/** A login failed: a token that is still there stays, and the next login waits. */
export function loginFailed(
  state: SessionState,
  failure: AuthError,
  now: number,
  random: () => number,
): SessionState {
  const isRefused = isLatching(failure)
  const refusals = state.refusals + (isRefused ? 1 : 0)
  const failures = state.failures + (isRefused ? 0 : 1)
  const isAwaited = !validToken(state, now)
  const waitMs = pauseMs(failure, isRefused ? refusals : failures, isAwaited, random)
  const retryAt = Math.max(now + waitMs, failure.retryAt ?? 0)
  const pause = retryAt > now ? { retryAt, error: withRetryAt(failure, retryAt) } : undefined
  return settled(state, { ...history(state), refusals, failures, pause })
}

/** The credentials are refused, and those who share a store keep this pause together. */
export function loginLatched(
  state: SessionState,
  { refusals, retryAt }: Latch,
  failure: AuthError,
): SessionState & { readonly pause: Pause } {
  const pause = { retryAt, error: withRetryAt(failure, retryAt) }
  return { ...settled(state, { ...history(state), refusals, pause }), pause }
}

/** A login ended before anything was sent. */
export function loginGivenUp(state: SessionState): SessionState {
  return settled(state, history(state))
}

/**
 * A request with the token of this generation was refused: a compare-and-swap, so that a late
 * refusal of an old token cannot drop a newer one. `undefined` where another login would hardly help.
 *
 * @param wasAccepted - Whether the same address took this very token before: then it is the token
 * that has changed. Elsewhere it may be an address that refuses every token.
 */
export function tokenRejected(
  state: SessionState,
  generation: number,
  wasAccepted: boolean,
  now: number,
): SessionState | undefined {
  if (!('token' in state) || state.token.generation !== generation) return state
  const { replacements, issuedAt } = state.token
  const holdMs = holdAfter(wasAccepted ? replacements - freeReplacements : replacements)
  if (isAhead(issuedAt + holdMs, now, holdMs)) return undefined
  return dropped(state, now < issuedAt + longEnoughMs ? replacements + 1 : 1)
}

function dropped(state: SessionState, replacements: number): SessionState {
  const before = { ...history(state), replacements }
  return 'startedAt' in state
    ? { ...before, name: 'logging-in', startedAt: state.startedAt }
    : settled(initialState, before)
}

/** The caller wants a new login: token and latch go, and a login that is under way is not kept. */
export function invalidated({ generation, attempt }: SessionState): SessionState {
  return { ...initialState, generation, attempt }
}

/** No login is under way: the token of a state stays, and without one a pause is a latch. */
function settled(state: SessionState, before: History): SessionState {
  if ('token' in state) return { ...before, name: 'valid', token: state.token }
  return before.pause
    ? { ...before, name: 'latched', pause: before.pause }
    : { ...before, name: 'empty' }
}

function history(state: SessionState): History {
  const { generation, attempt, refusals, failures, replacements, pause } = state
  return { generation, attempt, refusals, failures, replacements, pause }
}

function withRetryAt(error: AuthError, retryAt: number): AuthError {
  const { code, message, status } = error
  // Unlike `toISOString`, it does not throw where no date can show the time.
  const time = new Date(retryAt).toJSON()
  return new AuthError(code, `${message}; not retried before ${time}`, {
    status,
    retryAt,
    ...('cause' in error && { cause: error.cause }),
  })
}
