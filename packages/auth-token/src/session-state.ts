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
  /** Whether a request with it has succeeded. */
  readonly isAccepted: boolean
}

/** No login is made until `retryAt`. */
export interface Pause {
  readonly retryAt: number
  readonly error: AuthError
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

/** What a caller who needs a token has to do. */
export type Step =
  | { readonly name: 'use'; readonly token: Token; readonly isRenewalDue: boolean }
  | { readonly name: 'wait' }
  | { readonly name: 'log-in' }
  | { readonly name: 'fail'; readonly pause: Pause }

/** How long a token that was refused at once is not replaced by yet another. */
const refusedAtOnceMs = 30_000

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
    return { name: 'use', token, isRenewalDue: now >= token.renewAt && !isPending && !pause }
  }
  if (isPending) return { name: 'wait' }
  return pause ? { name: 'fail', pause } : { name: 'log-in' }
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

/** A login gave a token. */
export function loginSucceeded(
  state: SessionState,
  grant: { readonly value: string; readonly lifetimeMs: number; readonly renewBeforeMs: number },
  now: number,
  random: () => number,
): SessionState & { readonly token: Token } {
  const { value, lifetimeMs } = grant
  const generation = state.generation + 1
  const expiresAt = now + lifetimeMs
  const aheadMs = Math.max(0, Math.min(grant.renewBeforeMs, lifetimeMs / 2))
  const token: Token = {
    value,
    generation,
    issuedAt: now,
    expiresAt,
    renewAt: expiresAt - aheadMs * (1 - random() / 2),
    replacesRejected: state.isAfterRejection,
    isAccepted: false,
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
  const { replacesRejected, isAccepted, issuedAt } = state.token
  if (replacesRejected && !isAccepted && now < issuedAt + refusedAtOnceMs) return undefined
  const before = { ...history(state), isAfterRejection: true }
  return 'startedAt' in state
    ? { ...before, name: 'logging-in', startedAt: state.startedAt }
    : settled(initialState, before)
}

/** A request with the token of this generation succeeded. */
export function tokenAccepted(state: SessionState, generation: number): SessionState {
  if (!('token' in state) || state.token.generation !== generation || state.token.isAccepted) {
    return state
  }
  return { ...state, token: { ...state.token, isAccepted: true } }
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
