import { AuthError } from '@svc/auth-hooks'
import { emit } from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import type { SessionSettings } from './session-options.ts'
import { isAhead, type Lockout, type Pause, type Token } from '../token.ts'

/** The longest pause, whatever a server asks for. */
export const longestPauseMs: number = 15 * 60 * 1000

const firstLockoutMs = 30_000
/** The first pause after a refusal that may be that of a firewall, or of something that is no login. */
const firstShortLockoutMs = 5000
const firstPauseMs = 500
const longestShortPauseMs = 60_000
const firstReplacementMs = 1000
const longestReplacementMs = 4000
const hopelessReplacementMs = 30_000
/** Replacements that wait for nothing if each token was accepted first: a service may end sessions. */
const freeReplacements = 10
/** The age at which a refused token has had its time, whether or not it ever helped. */
const longEnoughMs = 60_000

/** Refusals in a row after which their pauses are ended early only some time after the last. */
const freeLifts = 5
const liftAgainMs = 480_000

/** Receives the events of the login that is under way. */
type OnEvent = (event: AuthEvent) => unknown

/** Decides when the next login may be made. */
export interface BackOff {
  /** Returns the pause that keeps every caller from a login now. */
  activePause(now: number): Pause | undefined
  /**
   * Throws if no login may be made now.
   *
   * @param isWanted - `false` for a login that the session has given up, which only a refusal concerns.
   */
  assertMayLogIn(isWanted: boolean): void
  /**
   * Takes note of a failed login, and returns the error for those who wait for it.
   *
   * @param isAwaited - `false` if a token is still valid, so that nobody waits.
   */
  failed(error: unknown, isAwaited: boolean, onEvent: OnEvent): unknown
  /** Takes note of a refusal that those who share a store keep together. */
  lockedOut(
    refusal: { readonly lockout: Lockout; readonly error: AuthError; readonly isOwn: boolean },
    onEvent: OnEvent,
  ): AuthError
  /**
   * Ends the pause. One that began after another was ended so is ended only for those who met it, so that
   * many callers that met the first end it once; and after some refusals in a row only every few minutes, so that
   * many callers that meet one pause each lock no account out.
   *
   * @param met - The error of the pause that the caller met last.
   * @param isForced - `true` if there is only one caller.
   * @returns `true` if there was a pause to end.
   */
  lift(met: unknown, isForced: boolean): boolean
  /** Forgets every failure. */
  reset(): void
  /** The instant until which failures count; 0 if there are none. */
  countsUntil(): number
}

/** Returns the back-off of a session that has not failed yet. */
export function createBackOff(
  settings: Pick<SessionSettings, 'clock' | 'name' | 'origin' | 'random'>,
): BackOff {
  const { clock, random } = settings
  const about = { scheme: settings.name, origin: settings.origin } as const
  let pause: Pause | undefined
  let begunAt = 0
  let refusals = 0
  let failures = 0
  /** `true` once a pause was ended early, until a login succeeds or a pause passes. */
  let hasLifted = false
  /** `true` if the pause began after another was ended early. */
  let followsLift = false

  const activePause = (now: number): Pause | undefined =>
    pause && isAhead(pause.retryAt, now, longestPauseMs) ? pause : undefined

  const emitFailed = (onEvent: OnEvent, error: AuthError): void =>
    emit(onEvent, () => {
      const { code, serverMessage } = error
      const said = serverMessage !== undefined && { serverMessage }
      return { ...about, type: 'login.failed', code, ...statusOf(error), ...said }
    })

  const emitPaused = (onEvent: OnEvent, { retryAt, error }: Pause): void =>
    emit(onEvent, () => ({ ...about, type: 'login.paused', retryAt, ...statusOf(error) }))

  const begin = (retryAt: number, failure: AuthError, now: number): Pause => {
    if (pause && now >= pause.retryAt) hasLifted = false
    followsLift = hasLifted
    begunAt = now
    pause = { retryAt, error: withRetryAt(failure, retryAt) }
    return pause
  }

  return {
    activePause,
    assertMayLogIn(isWanted) {
      const error = activePause(clock())?.error
      if (error && (isWanted || isRefusal(error))) throw error
    },
    failed(error, isAwaited, onEvent) {
      const isKnown = error === pause?.error
      if (!AuthError.is(error) || error.code === 'ERR_AUTH_CREDENTIALS' || isKnown) return error
      const now = clock()
      const refused = isRefusal(error)
      const count = refused ? (refusals += 1) : (failures += 1)
      const waitMs = pauseMs(error, count, isAwaited, random)
      const retryAt = Math.max(now + waitMs, error.retryAt ?? 0)
      const active = activePause(now)
      // Such as a store that took too long: the credentials are as wrong as before.
      const isCovered = active !== undefined && isRefusal(active.error) && !refused
      let begun: Pause | undefined
      if (!isCovered) {
        if (retryAt > now) begun = begin(retryAt, error, now)
        else pause = undefined
      }
      emitFailed(onEvent, error)
      // An observer may have invalidated the session.
      if (!begun || pause !== begun) return error
      emitPaused(onEvent, begun)
      return begun.error
    },
    lockedOut({ lockout, error, isOwn }, onEvent) {
      refusals = lockout.refusals
      const begun = begin(lockout.retryAt, error, clock())
      if (isOwn) emitFailed(onEvent, error)
      emitPaused(onEvent, begun)
      return begun.error
    },
    lift(met, isForced) {
      const now = clock()
      const isPaused = activePause(now) !== undefined
      const isOften = refusals >= freeLifts && isAhead(begunAt + liftAgainMs, now, liftAgainMs)
      const isOthers = followsLift && pause?.error !== met
      if (!isForced && (!isPaused || isOften || isOthers)) return false
      pause = undefined
      failures = 0
      if (isForced) refusals = 0
      hasLifted = true
      return isPaused
    },
    reset() {
      pause = undefined
      refusals = 0
      failures = 0
      hasLifted = false
    },
    countsUntil: () => countedUntil(pause?.retryAt ?? 0, refusals),
  }
}

/**
 * Tells if a login may have been refused for its credentials, so that more of them could lock the
 * account: the interface shows no statuses, so this is each refusal that is not known to mean anything else.
 *
 * @see Interface of the service, section 7
 */
export function isRefusal(failure: AuthError): boolean {
  return kindOf(failure) === 'refused'
}

function kindOf({ code, status }: AuthError): 'refused' | 'misplaced' | 'passing' {
  if (status === undefined) {
    if (code === 'ERR_AUTH_LOGIN_REFUSED') return 'refused'
    return code === 'ERR_AUTH_LOGIN_REDIRECT' ? 'misplaced' : 'passing'
  }
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'passing'
  return code === 'ERR_AUTH_LOGIN_NOT_JSON' ||
    nobodyLooked.has(status) ||
    (status > 299 && status < 400)
    ? 'misplaced'
    : 'refused'
}

/** The statuses of those who did not come as far as to look at a password. */
const nobodyLooked: ReadonlySet<number> = new Set([
  404, 405, 406, 411, 413, 414, 415, 421, 426, 431,
])

/**
 * Returns the pause after a failed login, in milliseconds.
 *
 * @param failures - Failures of this kind in a row, this one included.
 * @param isAwaited - `true` if callers wait for it: then one may try again at once after a passing
 * failure, since clients such as ky do.
 */
export function pauseMs(
  failure: AuthError,
  failures: number,
  isAwaited: boolean,
  random: () => number,
): number {
  const kind = kindOf(failure)
  if (kind !== 'passing') {
    const isShort = kind === 'misplaced' || failure.status === 403
    return doubled(
      isShort ? firstShortLockoutMs : firstLockoutMs,
      failures,
      kind === 'misplaced' ? longestShortPauseMs : longestPauseMs,
    )
  }
  // One that asks for patience with a 4xx gets it.
  const { status = 500 } = failure
  const step = isAwaited && status >= 500 ? failures - 1 : failures
  return step === 0 ? 0 : random() * doubled(firstPauseMs, step, longestShortPauseMs)
}

/**
 * Tells if a login may replace a token that was refused, as late as now. One that replaced a refused
 * token itself has to wait: else an address that refuses every token would cost a login for each request.
 *
 * @param prospect - `good` if the same address took this very token before: then it is the token that has
 * changed. `fair` if the service took tokens a short while ago, `bad` if it may refuse every token.
 */
export function mayReplace(
  { issuedAt, replacements }: Token,
  prospect: Prospect,
  now: number,
): boolean {
  const counted = prospect === 'good' ? replacements - freeReplacements : replacements
  const delayMs = replacementDelayMs(counted, prospect)
  return !isAhead(issuedAt + delayMs, now, delayMs)
}

/** The hope that another token will be accepted. */
export type Prospect = 'good' | 'fair' | 'bad'

/** Returns the number of replacements in a row that the next token will be, after this one is refused. */
export function nextReplacements({ issuedAt, replacements }: Token, now: number): number {
  return now < issuedAt + longEnoughMs ? replacements + 1 : 1
}

/**
 * Returns the time for which a token is not replaced that was refused itself, in milliseconds.
 *
 * @param replacements - Tokens in a row, this one included, that replaced a refused one.
 */
export function replacementDelayMs(replacements: number, prospect: Prospect): number {
  if (replacements <= 0) return 0
  if (prospect === 'bad') return hopelessReplacementMs
  return doubled(firstReplacementMs, replacements, longestReplacementMs)
}

/** Returns the instant until which refusals count: beyond their pause, or the next one would be short again. */
export function countedUntil(retryAt: number, refusals: number): number {
  return refusals > 0 ? retryAt + 2 * longestPauseMs : retryAt
}

function withRetryAt(failure: AuthError, retryAt: number): AuthError {
  const { code, message, status, serverMessage } = failure
  // Unlike `toISOString`, it does not throw where no date can show the time.
  const time = new Date(retryAt).toJSON()
  return new AuthError(code, `${message}; not retried before ${time}`, {
    status,
    retryAt,
    serverMessage,
    ...('cause' in failure && { cause: failure.cause }),
  })
}

function doubled(first: number, step: number, longest: number): number {
  return Math.min(first * 2 ** (step - 1), longest)
}

function statusOf({ status }: AuthError): { status?: number } {
  return status === undefined ? {} : { status }
}
