import { AuthError } from '@svc/auth-hooks'
import { abortable } from '@svc/auth-hooks/scheme'
import { isRefusal, longestPauseMs, pauseMs } from '../back-off.ts'
import { loginRefused } from '../login/login.ts'
import type { Grant, LoginAttempt, LoginOutcome, SharingSettings } from '../token.ts'
import type { SharedToken } from './sealed-record.ts'
import { spend } from './spend.ts'
import type { StoreSlot } from './store-slot.ts'

/** Reads the store. Resolves to `undefined` if the session has to log in. */
export async function readOutcome(
  slot: StoreSlot,
  attempt: LoginAttempt,
  { clock, title, purpose }: SharingSettings,
  signal: AbortSignal,
): Promise<LoginOutcome | undefined> {
  await slot.read(signal)
  const now = clock()
  const { content, generation } = slot
  const token = content?.token
  if (token && token.purpose === purpose && isBetter(token, attempt)) {
    const { value, issuedAt, expiresAt, replacements } = token
    const lifetimeMs = remainingMs(issuedAt, expiresAt, now)
    const grant = {
      value,
      lifetimeMs,
      generation,
      adopted: { issuedAt, replacements },
      refreshToken: content.refreshToken,
    }
    if (lifetimeMs > 0) return { name: 'adopted', grant }
  }
  if (attempt.urgency === 'look' || attempt.urgency === 'replace') return { name: 'nothing-newer' }
  attempt.assertMayLogIn()
  if (!content?.lockout) return undefined
  const { refusals, status, code, serverMessage } = content.lockout
  // A clock that is ahead must not lock out another host for longer than its own would.
  const retryAt = Math.min(content.lockout.retryAt, now + longestPauseMs)
  if (now >= retryAt) return undefined
  const error = loginRefused(title, code, { status, retryAt, serverMessage })
  return { name: 'locked-out', lockout: { refusals, retryAt }, error, isOwn: false }
}

/** Logs in, and stores the token or the lockout for all who share the slot. */
export async function logInForAll(
  slot: StoreSlot,
  attempt: LoginAttempt,
  fencingToken: () => number,
  settings: SharingSettings,
  signal: AbortSignal,
): Promise<LoginOutcome> {
  const { clock, purpose } = settings
  const spent = spend(slot, fencingToken, settings)
  let grant: Grant
  try {
    grant = await abortable(attempt.logIn(spent.refreshToken, spent.beforeSending), signal)
  } catch (error) {
    await spent.failed(error)
    try {
      const found = await readOutcome(slot, attempt, settings, signal)
      if (found) return found
      if (!AuthError.is(error) || !isRefusal(error)) throw error
      const { content } = slot
      const refusals = (content?.lockout?.refusals ?? 0) + 1
      const pauseEndsAt = clock() + pauseMs(error, refusals, true, settings.random)
      const lockout = { refusals, retryAt: Math.max(pauseEndsAt, error.retryAt ?? 0) }
      const { status = 0, code, serverMessage } = error
      const isStillGood = attempt.validToken() || content?.token?.value !== attempt.lastValue
      const next = {
        refreshToken: content?.refreshToken,
        spending: content?.spending,
        token: isStillGood ? content?.token : undefined,
        lockout: { ...lockout, status, code, serverMessage },
      }
      await slot.write(next, fencingToken())
      return { name: 'locked-out', lockout, error, isOwn: true }
    } catch {
      // The failed login is what the caller has to know.
      throw error
    }
  }
  signal.throwIfAborted()
  const { value, lifetimeMs } = grant
  const issuedAt = clock()
  const token = {
    value,
    purpose,
    issuedAt,
    expiresAt: issuedAt + lifetimeMs,
    replacements: attempt.replacements(),
  }
  try {
    const refreshToken = grant.refreshToken ?? spent.refreshToken
    if (await slot.write({ token, refreshToken }, fencingToken())) {
      spent.stored()
      return { name: 'issued', grant: { ...grant, generation: slot.generation } }
    }
    spent.keep(grant.refreshToken)
    // Another has logged in meanwhile, which may have ended the session of this token.
    const found = await readOutcome(slot, attempt, settings, signal)
    if (found?.name === 'adopted') return found
  } catch {
    // A token that cannot be shared is a token all the same.
    spent.keep(grant.refreshToken)
  }
  return { name: 'issued', grant }
}

/**
 * Tells if a token is worth more than the session's: another one, and a later one than one that is still
 * good, since a session that logged in without sharing may have ended what the store holds.
 */
function isBetter({ value, issuedAt }: SharedToken, attempt: LoginAttempt): boolean {
  if (value === attempt.lastValue) return false
  return attempt.urgency === 'replace' || issuedAt > (attempt.validToken()?.issuedAt ?? -Infinity)
}

/** Returns the time that a token has left. A clock that is ahead does not make another host's token live longer. */
function remainingMs(issuedAt: number, until: number, now: number): number {
  return Math.min(until - now, until - issuedAt)
}
