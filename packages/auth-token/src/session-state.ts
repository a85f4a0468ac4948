import { AuthError } from '@svc/auth-hooks'
import { isLatching, pauseMs } from './back-off.ts'

/** A token and what is known of it. Instants are epoch milliseconds. */
export interface Token {
  readonly value: string
  /** Counts the tokens of a session; 0 for one that came too late to be kept. */
  readonly generation: number
  readonly issuedAt: number
  readonly expiresAt: number
  readonly renewAt: number
  /** Whether its login was made because the token before was refused. */
  readonly replacesRejected: boolean
  /** Whether a request that an earlier token was refused for has succeeded with it. */
  readonly hasHelped: boolean
}

/** What a session got for its credentials: from a login, or from a store that others share. */
export interface Grant {
  readonly value: string
  readonly lifetimeMs: number
  /** Its number in the store. */
  readonly generation?: number | undefined
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
  /** Whether the last token was refused, and none has come since. */
  readonly isAfterRejection: boolean
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

/** How long a token that did not help is not replaced by yet another. */
const didNotHelpMs = 30_000

/** The state before the first login. */
export const initialState: SessionState = {
  name: 'empty',
  generation: 0,
  attempt: 0,
  refusals: 0,
  failures: 0,
  isAfterRejection: false,
  pause: undefined,
}

/** What a caller who needs a token has to do now. */
export function nextStep(state: SessionState, now: number, loginTimeoutMs: number): Step {
  // In workerd a login dies unsettled with the request that began it, so an overdue one is replaced.
  const isPending = 'startedAt' in state && now < state.startedAt + loginTimeoutMs
  const pause = state.pause && now < state.pause.retryAt ? state.pause : undefined
  const token = validToken(state, now)
  if (token) {
    const renewal = isPending ? 'pending' : pause ? 'none' : renewalOf(token, now)
    return { name: 'use', token, renewal }
  }
  if (isPending) return { name: 'wait' }
  return pause ? { name: 'fail', pause } : { name: 'log-in' }
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
  { value, lifetimeMs, generation: shared = 0 }: Grant,
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
    issuedAt: now,
    expiresAt,
    renewAt: expiresAt - aheadMs * (1 - random() / 2),
    replacesRejected: state.isAfterRejection,
    hasHelped: false,
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
 * refusal of an old token cannot drop a newer one. `undefined` where another login would not help.
 */
export function tokenRejected(
  state: SessionState,
  generation: number,
  now: number,
): SessionState | undefined {
  if (!('token' in state) || state.token.generation !== generation) return state
  const { replacesRejected, hasHelped, issuedAt } = state.token
  if (replacesRejected && !hasHelped && now < issuedAt + didNotHelpMs) return undefined
  const before = { ...history(state), isAfterRejection: true }
  return 'startedAt' in state
    ? { ...before, name: 'logging-in', startedAt: state.startedAt }
    : settled(initialState, before)
}

/**
 * A request that was refused with an earlier token succeeded with that of this generation. Other
 * requests prove nothing: they may go to where every token is good, and the refused one to where none is.
 */
export function tokenHelped(state: SessionState, generation: number): SessionState {
  if (!('token' in state) || state.token.generation !== generation || state.token.hasHelped) {
    return state
  }
  return { ...state, token: { ...state.token, hasHelped: true } }
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
  const { generation, attempt, refusals, failures, isAfterRejection, pause } = state
  return { generation, attempt, refusals, failures, isAfterRejection, pause }
}

function withRetryAt(error: AuthError, retryAt: number): AuthError {
  const { code, message, status } = error
  return new AuthError(code, message, {
    status,
    retryAt,
    ...('cause' in error && { cause: error.cause }),
  })
}
