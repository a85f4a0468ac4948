import { emit } from '@svc/auth-hooks/scheme'
import type { LoginOutcome } from '../token.ts'
import { type Lock, takeLock } from '../sharing/shared-login.ts'
import { signInError } from './errors.ts'
import { askUser, type Question } from './question.ts'
import { following, pause } from './waiting.ts'

const longestLockMs = 5000
const firstWaitMs = 20
const longestWaitMs = 1000

/** The user has to be asked. */
export interface Needed {
  readonly name: 'needed'
  /** What the session tells where the user may not be asked now. */
  readonly outcome?: LoginOutcome
  readonly error?: unknown
}

/** Waits for the turn to ask, or for a change of the record that makes it superfluous. */
export async function askInTurn(
  turn: Question,
  look: () => Promise<LoginOutcome | Needed>,
): Promise<LoginOutcome> {
  const waiting: Waiting = { waitedMs: 0 }
  let lock: Lock | undefined
  try {
    for (;;) {
      turn.signal.throwIfAborted()
      lock = await claimTurn(turn, waiting)
      // Another may have signed in between the look and the lock.
      const found = await look()
      if (found.name !== 'needed') return found
      if (lock) return await askUnlessChanged(turn, look)
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
  { asker, settings, signal, record, turns }: Question,
  waiting: Waiting,
): Promise<Lock | undefined> {
  const { loginTimeoutMs, timers, random, name, origin, onEvent } = settings
  const { timeoutMs, onWait } = asker.settings
  const lockMs = Math.min(longestLockMs, loginTimeoutMs / 3)
  const { generation } = await record.read()
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
      tell(onWait)
    }
    if (waiting.waitedMs >= timeoutMs) {
      const what = `another process has asked the user for ${timeoutMs} ms (timeoutMs), and nobody signed in`
      throw signInError('ERR_AUTH_SIGN_IN_TIMEOUT', what)
    }
    const ms = wasFree ? lockMs : waitMs * (0.5 + random() / 2)
    await pause(timers, ms, signal)
    waiting.waitedMs += ms
    waitMs = Math.min(waitMs * 1.5, longestWaitMs)
    if ((await record.read()).generation !== generation) return undefined
  }
}

/** Tells the program, whose own errors are not those of a sign-in. */
function tell(onWait: (() => void) | undefined): void {
  try {
    onWait?.()
  } catch {
    // As of an observer of events.
  }
}

/** Asks the user, and stops once the record has a token: by another process, where this one was stopped meanwhile. */
function askUnlessChanged(
  turn: Question,
  look: () => Promise<LoginOutcome | Needed>,
): Promise<LoginOutcome> {
  const { record, settings } = turn
  return following([turn.signal], async (signal) => {
    let isOver = false
    let { generation } = await record.read()
    const asked = askUser({ ...turn, signal }, () => (isOver = true))
    const changed = async (): Promise<LoginOutcome> => {
      for (;;) {
        await pause(settings.timers, longestWaitMs, signal)
        const now = await record.read().catch(() => undefined)
        if (isOver || !now || now.generation === generation) continue
        generation = now.generation
        // What fails there leaves the question as it is.
        const found = await look().catch(() => undefined)
        if (found?.name === 'adopted' || found?.name === 'issued') return found
      }
    }
    return Promise.race([asked, changed()])
  })
}
