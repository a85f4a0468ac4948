import { longestPauseMs } from '../session/back-off.ts'
import { loginError, loginRefused } from '../login/login-errors.ts'
import type { LoginAttempt, LoginOutcome, SharingSettings } from '../token.ts'
import type { SharedToken } from './sealed-record.ts'
import type { Opened } from './store-slot.ts'

/**
 * Returns what a record means for a session; `undefined` if the session has to log in.
 *
 * @param failureBefore - The failure that was there when the session began to wait; a later one is its own.
 */
export function outcomeOf(
  { content, generation }: Opened,
  attempt: LoginAttempt,
  { clock, title, purpose }: SharingSettings,
  failureBefore: string | undefined,
): LoginOutcome | undefined {
  const now = clock()
  const { token, refreshToken, lockout, failure } = content
  if (token && token.purpose === purpose && isBetter(token, attempt)) {
    const { value, issuedAt, expiresAt, replacements } = token
    // A clock that is ahead does not make another host's token live longer.
    const lifetimeMs = Math.min(expiresAt - now, expiresAt - issuedAt)
    const adopted = { issuedAt, replacements }
    const grant = { value, lifetimeMs, generation, adopted, refreshToken }
    if (lifetimeMs > 0) return { name: 'adopted', grant }
  }
  if (attempt.urgency === 'look' || attempt.urgency === 'replace') return { name: 'nothing-newer' }
  attempt.assertMayLogIn()
  if (lockout) {
    const { refusals, status, code, serverMessage } = lockout
    // A clock that is ahead must not lock out another host for longer than its own would.
    const retryAt = Math.min(lockout.retryAt, now + longestPauseMs)
    const error = loginRefused(title, code, { status, retryAt, serverMessage })
    if (now < retryAt) {
      return { name: 'locked-out', lockout: { refusals, retryAt }, error, isOwn: false }
    }
  }
  if (failure && failure.id !== failureBefore) {
    const { code, status, serverMessage, retryAt } = failure
    const options = { status, serverMessage, retryAt }
    const error = loginError(title, code, 'failed in another session that shares it', options)
    return { name: 'failed', error }
  }
  return undefined
}

/**
 * Tells if a token is worth more than the session's: another one, and a later one than one that is still
 * good, since a session that logged in without sharing may have ended what the store holds.
 */
function isBetter({ value, issuedAt }: SharedToken, attempt: LoginAttempt): boolean {
  if (value === attempt.lastValue) return false
  return attempt.urgency === 'replace' || issuedAt > (attempt.validToken()?.issuedAt ?? -Infinity)
}
