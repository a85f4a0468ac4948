import { AuthError } from '@svc/auth-hooks'
import { emit } from '@svc/auth-hooks/scheme'
import type { AuthEvent } from '@svc/types'
import type { SessionSettings } from './session-options.ts'
import { isAhead, type Lockout } from '../token.ts'

/** The longest pause, whatever a server asks for. */
export const longestPauseMs: number = 15 * 60 * 1000

const firstLockoutMs = 30_000
const firstPassingMs = 500
const longestPassingMs = 60_000
/** After so many refusals in a row, `invalidate()` ends no pause: more logins could lock the account. */
export const mostLiftedRefusals = 5

type OnEvent = (event: AuthEvent) => unknown

/** Decides when the next login may be made. */
export interface BackOff {
  /** Returns the error of the pause that keeps every caller from a login now, with its `retryAt`. */
  activePause(now: number): AuthError | undefined
  /** Takes note of a failed login, and returns the error for its callers. */
  noteFailed(error: unknown, onEvent: OnEvent): unknown
  /** Takes note of a refusal that those who share a store keep together. */
  lockedOut(
    refusal: { readonly lockout: Lockout; readonly error: AuthError; readonly isOwn: boolean },
    onEvent: OnEvent,
  ): AuthError
  /** Ends the pause, unless it follows too many refusals. Returns `true` if it ended one. */
  lift(): boolean
  reset(): void
  /** The end of the last pause, or the later instant until which refusals count. */
  keepUntil(): number
}

export function createBackOff(
  settings: Pick<SessionSettings, 'clock' | 'name' | 'origin' | 'random'>,
): BackOff {
  const { clock, random } = settings
  const about = { scheme: settings.name, origin: settings.origin } as const
  let pause: AuthError | undefined
  let lastRetryAt = 0
  let refusals = 0
  let failures = 0

  const activePause = (now: number): AuthError | undefined =>
    pause && isAhead(pause.retryAt ?? 0, now, longestPauseMs) ? pause : undefined

  /** Begins a pause, unless a longer one is under way: a store that took too long, say, makes no password better. */
  const note = (error: AuthError, retryAt: number, isOwn: boolean, onEvent: OnEvent): AuthError => {
    const now = clock()
    const begun = retryAt > (activePause(now)?.retryAt ?? now) && withRetryAt(error, retryAt)
    if (begun) pause = begun
    // As text, it holds on to no function that called, nor to its session: it may be kept for long.
    void pause?.stack
    lastRetryAt = Math.max(lastRetryAt, retryAt)
    const { code, serverMessage, status } = error
    const told = status === undefined ? about : { ...about, status }
    const said = serverMessage !== undefined && { serverMessage }
    if (isOwn) emit(onEvent, () => ({ ...told, type: 'login.failed', code, ...said }))
    if (begun) emit(onEvent, () => ({ ...told, type: 'login.paused', retryAt }))
    return begun || error
  }

  return {
    activePause,
    noteFailed(error, onEvent) {
      const isThePause = error === pause
      if (!AuthError.is(error) || error.code === 'ERR_AUTH_CREDENTIALS' || isThePause) return error
      const waitMs = mayBeRefusal(error)
        ? lockoutMs((refusals += 1))
        : passingPauseMs((failures += 1), random)
      return note(error, pauseEnd(clock(), waitMs, error.retryAt), true, onEvent)
    },
    lockedOut({ lockout, error, isOwn }, onEvent) {
      refusals = lockout.refusals
      return note(error, lockout.retryAt, isOwn, onEvent)
    },
    lift() {
      const active = activePause(clock())
      if (!active || (mayBeRefusal(active) && refusals >= mostLiftedRefusals)) return false
      pause = undefined
      failures = 0
      return true
    },
    reset() {
      pause = undefined
      refusals = 0
      failures = 0
    },
    keepUntil: () => keptUntil(lastRetryAt, refusals),
  }
}

/** The statuses below 500 of those who did not come as far as to look at a password. */
const neverLooked: ReadonlySet<number> = new Set([
  404, 405, 406, 408, 411, 413, 414, 415, 421, 425, 426, 429, 431,
])

/**
 * Tells if a login may have been refused for its credentials, so that more of them could lock the
 * account: the interface shows no statuses, so this is each refusal that is not known to mean anything else.
 *
 * @see Interface of the service, section 7
 */
export function mayBeRefusal({ code, status }: AuthError): boolean {
  if (status === undefined) return /_(?:REFUSED|NO_TOKEN)$/.test(code)
  const isRedirect = status >= 300 && status < 400
  if (isRedirect || status >= 500 || neverLooked.has(status)) return false
  return code !== 'ERR_AUTH_LOGIN_NOT_JSON'
}

export function lockoutMs(refusals: number): number {
  return Math.min(firstLockoutMs * 2 ** (refusals - 1), longestPauseMs)
}

/** Returns the end of a pause, which a later `retryAt` puts off: any value, where a login of one's own gives it. */
export function pauseEnd(now: number, waitMs: number, retryAt = 0): number {
  return retryAt > now + waitMs ? Math.min(retryAt, now + longestPauseMs) : now + waitMs
}

/** Returns the pause after so many other failures: none after the first, since clients such as ky try again at once. */
export function passingPauseMs(failures: number, random: () => number): number {
  if (failures < 2) return 0
  return random() * Math.min(firstPassingMs * 2 ** (failures - 2), longestPassingMs)
}

/** Returns the instant until which refusals count: beyond their pause, or the next one would be short again. */
export function keptUntil(retryAt: number, refusals: number): number {
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
