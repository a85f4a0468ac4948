import { AuthError } from '@svc/auth-hooks'
import { emit } from '@svc/auth-hooks/scheme'
import { requestLogin } from '../login/login.ts'
import { lockoutMs, pauseEnd } from '../session/back-off.ts'
import type { SharingSettings } from '../session/session-options.ts'
import type { Lock } from '../sharing/shared-login.ts'
import type { SharedSignIn } from '../sharing/sharing.ts'
import type { StoreSlot } from '../sharing/store-slot.ts'
import type { LoginAttempt, LoginOutcome, Sharing } from '../token.ts'
import { type SignInCode, signInError, signInNeeded } from './errors.ts'
import type { SignInSettings } from './options.ts'
import { following, pause } from './waiting.ts'
import type { Asking, Way } from './way.ts'

const longestLockMs = 5000
const firstWaitMs = 20
const longestWaitMs = 1000
const mostSwaps = 100

/** Thrown, and never stored, where a record has no refresh token. */
const nothingStored: unique symbol = Symbol('there is no sign-in')

/** What asks the user, for the sessions of a login. */
export interface Asker {
  readonly way: Way
  readonly settings: SignInSettings
  readonly options: Asking['options']
}

/**
 * Asks the user around the sharing of a record: where that has no token, and no refresh token that the server takes.
 * The one with the lock asks, which is not that of the record; all others wait for a change of the record.
 */
export function askAround(shared: SharedSignIn, asker: Asker): Sharing {
  const { sharing, storeUnavailable } = shared
  const { title } = shared.settings
  let askingNow = 0
  let isAnew = false

  return {
    ...sharing,
    isAsking: () => askingNow > 0,
    skipStored() {
      isAnew = true
      sharing.skipStored()
    },
    async obtain(attempt, signal) {
      const anew = isAnew
      isAnew = false
      const look = (): Promise<LoginOutcome | Needed> => goOn(sharing, attempt, signal, title)
      const first = await look()
      if (first.name !== 'needed') return first
      if (attempt.urgency !== 'log-in' || attempt.validToken()) return notNow(first, title)
      askingNow += 1
      try {
        return await following([signal, asker.settings.signal], async (both) => {
          const again = (): Promise<LoginOutcome | Needed> => {
            // It ends no pause of others, but does not heed it either.
            if (anew) sharing.skipStored()
            return look()
          }
          return askInTurn({ shared, attempt, asker, signal: both }, again)
        })
      } catch (error) {
        if (error !== storeUnavailable) throw error
        const what = `${title}: the user was not asked, since the token store is away`
        throw new AuthError('ERR_AUTH_STORE', `[@svc/auth-token] ${what}`)
      } finally {
        askingNow -= 1
      }
    },
  }
}

interface Turn {
  readonly shared: SharedSignIn
  readonly attempt: LoginAttempt
  readonly asker: Asker
  readonly signal: AbortSignal
}

/** The user has to be asked. */
interface Needed {
  readonly name: 'needed'
  /** What the session tells where the user may not be asked now. */
  readonly outcome?: LoginOutcome
  readonly error?: unknown
}

/** Goes on with the sign-in of the record, or tells that there is none. */
async function goOn(
  sharing: Sharing,
  attempt: LoginAttempt,
  signal: AbortSignal,
  title: string,
): Promise<LoginOutcome | Needed> {
  const logIn: LoginAttempt['logIn'] = async (stored, beforeSending) => {
    if (stored === undefined) throw nothingStored
    return attempt.logIn(stored, beforeSending)
  }
  try {
    const outcome = await sharing.obtain({ ...attempt, logIn }, signal)
    if (outcome.name !== 'locked-out') return outcome
    if (isNeeded(outcome.error)) return { name: 'needed', outcome }
    return { ...outcome, error: ownError(outcome.error, outcome.isOwn, title) }
  } catch (error) {
    if (error === nothingStored) return { name: 'needed' }
    if (isNeeded(error)) return { name: 'needed', error }
    throw error
  }
}

function isNeeded(error: unknown): boolean {
  const codes = ['ERR_AUTH_SIGN_IN_NEEDED', 'ERR_AUTH_REFRESH_LOST'] as const
  return AuthError.is(error) && codes.some((code) => code === error.code)
}

/** Leaves the token that the session has. */
function notNow({ outcome, error }: Needed, title: string): LoginOutcome {
  if (outcome) return outcome
  throw error ?? signInNeeded(`${title} has no refresh token`)
}

/** Returns the error of a sign-in that another process asked for. */
function ownError(error: AuthError, isOwn: boolean, title: string): AuthError {
  const { code, status, retryAt } = error
  const words: Partial<Record<string, string>> = {
    ERR_AUTH_SIGN_IN_DENIED: 'the sign-in was denied',
    ERR_AUTH_SIGN_IN_TIMEOUT: 'nobody signed in in time',
    ERR_AUTH_SIGN_IN_FAILED: 'the sign-in failed',
  }
  const word = words[code]
  if (isOwn || word === undefined) return error
  const what = `${title}: ${word}, which another process had asked for; invalidate() asks anew`
  // One of the codes above.
  return signInError(code as SignInCode, what, { status, retryAt })
}

/** Waits for the turn to ask, or for a change of the record that makes it superfluous. */
async function askInTurn(
  turn: Turn,
  look: () => Promise<LoginOutcome | Needed>,
): Promise<LoginOutcome> {
  const { shared, attempt, signal } = turn
  const { record: slot, turns } = await shared.openSlots(attempt.credentials)
  const waiting: Waiting = { waitedMs: 0 }
  let lock: Lock | undefined
  try {
    for (;;) {
      signal.throwIfAborted()
      lock = await claimTurn(turn, slot, turns, waiting)
      // Another may have signed in between the look and the lock.
      const found = await look()
      if (found.name !== 'needed') return found
      if (lock) return await askUnlessChanged(turn, slot, look)
    }
  } finally {
    await lock?.release()
  }
}

/** The time that was waited for another process. */
interface Waiting {
  waitedMs: number
}

/** Resolves to the lock, or to `undefined` once the record has changed. */
async function claimTurn(
  { asker, shared, signal }: Turn,
  slot: StoreSlot,
  turns: StoreSlot,
  waiting: Waiting,
): Promise<Lock | undefined> {
  const { settings, takeLock } = shared
  const { loginTimeoutMs, timers, random, name, origin, onEvent } = settings
  const { timeoutMs, onWait } = asker.settings
  const lockMs = Math.min(longestLockMs, loginTimeoutMs / 3)
  const { generation } = await slot.read()
  let waitMs = firstWaitMs
  /** `true` once the lock of another was free: with its process, it may only have been stopped. */
  let wasFree = false
  for (;;) {
    signal.throwIfAborted()
    const lock = await takeLock(turns, lockMs, settings)
    if (lock && (waiting.waitedMs === 0 || wasFree)) return lock
    await lock?.release()
    wasFree = lock !== undefined
    if (waiting.waitedMs === 0) {
      emit(onEvent, () => ({ type: 'sign-in.waiting', scheme: name, origin }))
      onWait?.()
    }
    if (waiting.waitedMs >= timeoutMs) {
      const what = `another process has asked the user for ${timeoutMs} ms (timeoutMs), and nobody signed in`
      throw signInError('ERR_AUTH_SIGN_IN_TIMEOUT', what)
    }
    const ms = wasFree ? lockMs : waitMs * (0.5 + random() / 2)
    await pause(timers, ms, signal)
    waiting.waitedMs += ms
    waitMs = Math.min(waitMs * 1.5, longestWaitMs)
    if ((await slot.read()).generation !== generation) return undefined
  }
}

/** Asks the user, and stops once the record has a token: by another process, where this one was stopped meanwhile. */
function askUnlessChanged(
  turn: Turn,
  slot: StoreSlot,
  look: () => Promise<LoginOutcome | Needed>,
): Promise<LoginOutcome> {
  const { timers } = turn.shared.settings
  return following([turn.signal], async (signal) => {
    const asked = askUser({ ...turn, signal }, slot)
    let isOver = false
    const over = (): void => void (isOver = true)
    asked.then(over, over)
    let { generation } = await slot.read()
    const changed = async (): Promise<LoginOutcome> => {
      for (;;) {
        await pause(timers, longestWaitMs, signal)
        const now = await slot.read().catch(() => undefined)
        if (isOver || !now || now.generation === generation) continue
        generation = now.generation
        const found = await look()
        if (found.name === 'adopted' || found.name === 'issued') return found
      }
    }
    return Promise.race([asked, changed()])
  })
}

/** Asks the user, and stores what comes of it for all who share the record. */
async function askUser(turn: Turn, slot: StoreSlot): Promise<LoginOutcome> {
  const { shared, attempt, asker, signal } = turn
  const { settings, settleSoon } = shared
  const { clock, timers, loginTimeoutMs, name, origin, onEvent, purpose } = settings
  const { way, settings: own, options } = asker
  const { content } = await slot.read()
  let isAsked = false
  const onAsked = (expiresAt: number | undefined): void => {
    isAsked = expiresAt !== undefined
    if (expiresAt === undefined) return
    emit(onEvent, () => ({
      type: 'sign-in.asked',
      scheme: name,
      origin,
      method: way.method,
      expiresAt,
    }))
  }
  const asking = { options, settings: own, timers, requestMs: loginTimeoutMs, now: clock, onAsked }
  // Each of its steps has a limit of its own, and the user one for all.
  const limitMs = Math.min(own.timeoutMs + 10 * loginTimeoutMs, 2 ** 31 - 1)
  const logIn: SharingSettings['logIn'] = ({ fetch, signal: until }) =>
    way.ask({ ...asking, sender: { fetch, signal: until } })
  try {
    const around = { ...settings, loginTimeoutMs: limitMs, logIn }
    const grant = await requestLogin(around, attempt.credentials, signal)
    const { value, lifetimeMs, refreshToken } = grant
    const [issuedAt, replacements] = [clock(), attempt.replacements()]
    const token = { value, purpose, issuedAt, expiresAt: issuedAt + lifetimeMs, replacements }
    const next = { token, refreshToken }
    const result = { name: 'result', content: next, spent: content.refreshToken } as const
    const written = await settleSoon(slot, crypto.randomUUID(), result, settings)
    return { name: 'issued', grant: { ...grant, generation: written?.generation } }
  } catch (error) {
    signal.throwIfAborted()
    // What failed before the user was asked may pass, and nobody has been bothered.
    if (!isAsked || !AuthError.is(error)) throw error
    return lockOut(slot, error, settings)
  }
}

/** Keeps all who share the record from asking again at once. */
async function lockOut(
  slot: StoreSlot,
  error: AuthError,
  { clock }: SharingSettings,
): Promise<LoginOutcome> {
  const { code, status, serverMessage } = error
  let lockout = { refusals: 1, retryAt: pauseEnd(clock(), lockoutMs(1), error.retryAt) }
  for (let turn = 0; turn < mostSwaps; turn += 1) {
    const opened = await slot.read().catch(() => undefined)
    if (!opened) break
    const { content } = opened
    const last = content.lockout?.code === 'ERR_AUTH_SIGN_IN_NEEDED' ? undefined : content.lockout
    const refusals = (last?.refusals ?? 0) + 1
    lockout = { refusals, retryAt: pauseEnd(clock(), lockoutMs(refusals), error.retryAt) }
    const next = { ...content, lockout: { ...lockout, status, code, serverMessage } }
    if (await slot.swap(opened, next).catch(() => opened)) break
  }
  return { name: 'locked-out', lockout, error, isOwn: true }
}
