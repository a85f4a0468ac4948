import { AuthError } from '@svc/auth-hooks'

const firstPauseMs = 30_000
const longestPauseMs = 15 * 60 * 1000
/** After so many refusals in a row, `invalidate()` ends no pause: more attempts could lock the account. */
const mostLiftedRefusals = 5
/** Refusals in a row of credentials that were right before: each may be of a path that this user may not open. */
const toleratedRefusals = 2

/** Refused credentials at one origin, which are not sent again at once: that could lock the account. */
export interface Refusals {
  /** Returns the error of the pause that keeps every caller from sending them now. */
  pause(): AuthError | undefined
  /** Takes note of a refusal, and returns its error, with the `retryAt` of the pause that it begins. */
  note(error: AuthError): AuthError
  accepted(): void
  /** Ends the pause, unless it follows too many refusals. */
  lift(): void
}

export function countRefusals(clock: () => number): Refusals {
  let count = 0
  let wereAccepted = false
  let current: AuthError | undefined
  return {
    pause() {
      const leftMs = (current?.retryAt ?? 0) - clock()
      // A clock that was set back prolongs no pause.
      return leftMs > 0 && leftMs <= longestPauseMs ? current : undefined
    },
    note({ code, message, status }) {
      count += 1
      const past = wereAccepted ? count - toleratedRefusals : count
      const waitMs = Math.min(firstPauseMs * 2 ** (past - 1), longestPauseMs)
      const retryAt = past > 0 ? clock() + waitMs : undefined
      const end = retryAt && `; not sent before ${new Date(retryAt).toJSON()}`
      const error = new AuthError(code, message + (end ?? ''), { status, retryAt })
      if (retryAt) current = error
      return error
    },
    accepted() {
      count = 0
      wereAccepted = true
      current = undefined
    },
    lift() {
      if (count < mostLiftedRefusals) current = undefined
    },
  }
}
