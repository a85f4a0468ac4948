import { AuthError } from '@svc/auth-hooks'
import { abortable } from '@svc/auth-hooks/scheme'
import { loginError, refusal } from '../login/login-errors.ts'
import { mayBeRefusal, lockoutMs, longestPauseMs, pauseEnd } from '../session/back-off.ts'
import { every } from '../timers.ts'
import type { BeforeSending, LoginAttempt, LoginOutcome } from '../token.ts'
import type { SharingSettings } from '../session/session-options.ts'
import { hasToWaitForNote, sendNoted, type Sent } from './refresh.ts'
import { emitStoreFailed, type Opened, type StoreSlot, storeUnavailable } from './store-slot.ts'

/** The duration of a lock. Its owner extends it while it lives, so that one that was killed holds up others briefly. */
const longestLockMs = 5000
const firstWaitMs = 20
const longestWaitMs = 250

/** A session that needs a token, and the slot that it shares. */
export interface SharedAttempt {
  readonly slot: StoreSlot
  readonly attempt: LoginAttempt
  readonly settings: SharingSettings
  readonly signal: AbortSignal
  /** Tells if the session was invalidated, so that it must not take the token of a login before. */
  readonly skipsStored: () => boolean
}

/**
 * Claims the login of all who share the slot, makes it, and stores its outcome; or takes that of another session.
 *
 * @throws storeUnavailable if the store is away.
 */
export async function logInForAll(shared: SharedAttempt): Promise<LoginOutcome> {
  for (;;) {
    const claimed = await claim(shared)
    if ('name' in claimed) return claimed
    try {
      shared.signal.throwIfAborted()
      const outcome = await logInLocked(shared, claimed)
      if (outcome) return outcome
    } finally {
      // Before the login is over: what comes after it may not run, as in a worker whose request has ended.
      await claimed.release()
    }
  }
}

export interface Lock {
  readonly fencingToken: () => number
  release(): Promise<void>
}

/** The right to log in for all who share a slot: the lock, and the record as it was read under it. */
interface Claim extends Lock {
  readonly opened: Opened
}

/** Waits for the lock, or for an outcome that makes it superfluous. */
async function claim(shared: SharedAttempt): Promise<Claim | LoginOutcome> {
  const { slot, attempt, settings, signal } = shared
  const { random, timers, loginTimeoutMs, rotation } = settings
  const lockMs = Math.min(longestLockMs, loginTimeoutMs / 3)
  let skips = shared.skipsStored()
  let generation: number | undefined
  let failureBefore: string | undefined
  /** The time that was waited since the record changed. Only waking time counts: a laptop may have slept. */
  let quietMs = 0
  let waitMs = firstWaitMs
  let lock: Lock | undefined
  try {
    for (;;) {
      signal.throwIfAborted()
      const opened = await slot.read()
      signal.throwIfAborted()
      if (opened.generation !== generation) {
        if (generation === undefined) failureBefore = opened.content.failure?.id
        generation = opened.generation
        quietMs = 0
      }
      if (skips) attempt.assertMayLogIn()
      const found = skips ? undefined : outcomeOf(opened, attempt, settings, failureBefore)
      if (found) return found
      if (rotation && (await hasToWaitForNote(slot, opened, quietMs, settings))) {
        // The sender may need it.
        await lock?.release()
        lock = undefined
        skips = false
      } else if (lock) {
        const claimed = { ...lock, opened }
        lock = undefined
        return claimed
      } else {
        lock = await takeLock(slot, lockMs, settings)
        // Another may have written between the look and the lock.
        if (lock) continue
        // A living owner logs in within its own time, and what comes of it changes the record.
        if (quietMs >= loginTimeoutMs + lockMs) {
          emitStoreFailed(settings, 'lock', 'timeout')
          throw storeUnavailable
        }
      }
      const pause = waitMs * (0.5 + random() / 2)
      await abortable(new Promise<void>((resolve) => void timers.after(pause, resolve)), signal)
      quietMs += pause
      waitMs = Math.min(waitMs * 1.5, longestWaitMs)
    }
  } finally {
    await lock?.release()
  }
}

/** Takes the lock, and extends it until it is released. Resolves to `undefined` if another has it. */
export async function takeLock(
  slot: StoreSlot,
  ttlMs: number,
  { timers }: SharingSettings,
): Promise<Lock | undefined> {
  const lock = { owner: crypto.randomUUID(), ttlMs }
  const taken = await slot.lock(lock)
  if (taken === undefined) return undefined
  let fencingToken = taken
  let heartbeat: Promise<unknown> = Promise.resolve()
  const endBeats = every(timers, ttlMs / 3, () => {
    heartbeat = heartbeat
      .then(() => slot.lock(lock))
      .then((extended) => (fencingToken = extended ?? fencingToken))
      .catch(() => {})
  })
  return {
    fencingToken: () => fencingToken,
    async release() {
      endBeats()
      // A lock that is being extended would be there again after it was freed.
      await heartbeat.then(() => slot.unlock(lock.owner)).catch(() => {})
    },
  }
}

/**
 * Logs in, and stores the token, the lockout or the failure for all who share the slot.
 *
 * @returns `undefined` if another process was faster, so that the record has to be looked at again.
 */
async function logInLocked(shared: SharedAttempt, held: Claim): Promise<LoginOutcome | undefined> {
  const { slot, attempt, settings } = shared
  const { opened, fencingToken } = held
  const { clock, purpose, rotation } = settings
  const stored = opened.content.refreshToken
  const send = async (beforeSending?: BeforeSending): Promise<Sent> => {
    try {
      const grant = await attempt.logIn(stored, beforeSending)
      const { value, lifetimeMs, refreshToken = stored, binding } = grant
      const [issuedAt, replacements] = [clock(), attempt.replacements()]
      const expiresAt = issuedAt + lifetimeMs
      const token = { value, purpose, issuedAt, expiresAt, replacements, binding }
      return { grant, content: { token, refreshToken } }
    } catch (error) {
      return { error }
    }
  }
  const sent = await (rotation ? sendNoted(slot, opened, fencingToken, settings, send) : send())
  if (!sent) return undefined
  if ('error' in sent) return reportFailure(shared, held, sent.error)
  const { grant, content } = sent
  try {
    const written = rotation ? sent.written : await slot.swap(opened, content, fencingToken())
    if (written) return { name: 'issued', grant: { ...grant, generation: written.generation } }
    // Another has logged in meanwhile, which may have ended the session of this token.
    const found = rotation ? undefined : adoptable(await slot.read(), attempt, settings)
    if (found) return found
  } catch {
    // A token that cannot be shared is a token all the same.
  }
  return { name: 'issued', grant }
}

/** Leaves a failed login in the record, with its pause, so that those who wait for it do not try each by itself. */
async function reportFailure(
  { slot, attempt, settings }: SharedAttempt,
  { fencingToken }: Claim,
  error: unknown,
): Promise<LoginOutcome> {
  const { clock } = settings
  try {
    const opened = await slot.read()
    const found = adoptable(opened, attempt, settings)
    if (found) return found
    if (!AuthError.is(error)) throw error
    const { code, status, serverMessage, retryAt } = error
    const { content } = opened
    if (!mayBeRefusal(error)) {
      const failure = { id: crypto.randomUUID(), at: clock(), code, status, serverMessage, retryAt }
      await slot.swap(opened, { ...content, failure }, fencingToken())
      throw error
    }
    const refusals = (content.lockout?.refusals ?? 0) + 1
    const lockout = { refusals, retryAt: pauseEnd(clock(), lockoutMs(refusals), retryAt) }
    const isStillGood = attempt.validToken() || content.token?.value !== attempt.lastValue
    const token = isStillGood ? content.token : undefined
    const next = { ...content, token, lockout: { ...lockout, status, code, serverMessage } }
    await slot.swap(opened, { ...next, failure: undefined }, fencingToken())
    return { name: 'locked-out', lockout, error, isOwn: true }
  } catch {
    // The failed login is what the caller has to know.
    throw error
  }
}

/**
 * Returns what a record means for a session; `undefined` if the session has to log in.
 *
 * @param failureBefore - The failure that was there when the session began to wait; a later one is its own.
 * @throws AuthError if no login may be made, or if another session, for which this one waited, failed to log in.
 */
function outcomeOf(
  opened: Opened,
  attempt: LoginAttempt,
  settings: SharingSettings,
  failureBefore: string | undefined,
): LoginOutcome | undefined {
  const { lockout, failure } = opened.content
  const { clock, title } = settings
  const now = clock()
  const adopted = adoptable(opened, attempt, settings)
  if (adopted) return adopted
  if (attempt.urgency === 'look') return { name: 'nothing-newer' }
  attempt.assertMayLogIn()
  if (lockout) {
    // A clock that is ahead must not lock out another host for longer than its own would.
    const paused = { ...lockout, retryAt: Math.min(lockout.retryAt, now + longestPauseMs) }
    const earlier = `nothing was sent: an earlier try of ${title}`
    const error = refusal(earlier, lockout.code, paused)
    if (now < paused.retryAt) return { name: 'locked-out', lockout: paused, error, isOwn: false }
  }
  if (failure && failure.id !== failureBefore) {
    const what = 'failed in another process or session that shares it; its own error has the cause'
    throw loginError(title, failure.code, what, failure)
  }
  return undefined
}

/**
 * Returns the token of a record if it is good and worth more than the session's: another one, and a later one than one
 * that is still good, since a session that logged in without sharing may have ended what the store holds.
 */
function adoptable(
  { content: { token, refreshToken }, generation }: Opened,
  attempt: LoginAttempt,
  { clock, purpose }: SharingSettings,
): LoginOutcome | undefined {
  if (!token || token.purpose !== purpose || token.value === attempt.lastValue) return undefined
  const { value, issuedAt, expiresAt, replacements, binding } = token
  if (issuedAt <= (attempt.validToken()?.issuedAt ?? -Infinity)) return undefined
  // A clock that is ahead does not make another host's token live longer.
  const lifetimeMs = Math.min(expiresAt - clock(), expiresAt - issuedAt)
  const adopted = { issuedAt, replacements }
  const grant = { value, lifetimeMs, generation, adopted, refreshToken, binding }
  return lifetimeMs > 0 ? { name: 'adopted', grant } : undefined
}
