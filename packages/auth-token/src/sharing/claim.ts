import { emit } from '@svc/auth-hooks/scheme'
import { delay, every } from '../timers.ts'
import type { LoginAttempt, LoginOutcome, SharingSettings } from '../token.ts'
import { type CheckedStore, storeUnavailable } from './checked-store.ts'
import { outcomeOf } from './outcome.ts'
import { meetNote } from './wire-note.ts'
import type { Opened, StoreSlot } from './store-slot.ts'

/** The duration of a lock. Its owner extends it while it lives, so that one that was killed holds up nobody for long. */
const longestLockMs = 5000
const firstWaitMs = 20
const longestWaitMs = 250

/** The right to log in for all who share a slot: the lock, and the record as it was read under it. */
export interface Claim {
  readonly opened: Opened
  readonly fencingToken: () => number
  release(): void
}

/** Waits for the lock, or for an outcome that makes it superfluous. */
export async function claim(
  store: CheckedStore,
  slot: StoreSlot,
  attempt: LoginAttempt,
  skipsStored: boolean,
  settings: SharingSettings,
  signal: AbortSignal,
): Promise<Claim | LoginOutcome> {
  const { clock, random, timers, loginTimeoutMs, name, origin, onEvent, spending } = settings
  const about = { scheme: name, origin } as const
  const lockMs = Math.min(longestLockMs, loginTimeoutMs / 3)
  const startedAt = clock()
  /** A session that was invalidated must not take the token of a login before. */
  let skips = skipsStored
  let generation: number | undefined
  let failureBefore: string | undefined
  /** The time that was waited since the record changed. Only waking time counts: a laptop may have slept. */
  let quietMs = 0
  let hasWaited = false
  const wait = async (ms: number): Promise<void> => {
    hasWaited = true
    await delay(timers, ms, signal)
    quietMs += ms
  }
  const look = (opened: Opened): LoginOutcome | undefined => {
    if (opened.generation !== generation) {
      if (generation === undefined) failureBefore = opened.content.failure?.id
      generation = opened.generation
      quietMs = 0
    }
    if (skips) attempt.assertMayLogIn()
    return skips ? undefined : outcomeOf(opened, attempt, settings, failureBefore)
  }
  const waited = <Result>(result: Result): Result => {
    if (hasWaited) {
      emit(onEvent, () => ({ ...about, type: 'lock.waited', waitedMs: clock() - startedAt }))
    }
    return result
  }

  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 1.5, longestWaitMs)) {
    signal.throwIfAborted()
    const opened = await slot.read()
    signal.throwIfAborted()
    const found = look(opened)
    if (found) return waited(found)
    const pauseMs = waitMs * (0.5 + random() / 2)
    // Whoever meets the note waits without the lock, which the sender may need.
    if (spending && (await meetNote(slot, opened, quietMs, settings)) === 'wait') {
      skips = false
      await wait(pauseMs)
      continue
    }
    const held = await takeLock(store, slot.key, lockMs, settings)
    if (held) {
      try {
        // Another may have written between the last look and the lock.
        const current = await slot.read()
        const isSame = current.generation === opened.generation
        const outcome = look(current)
        if (isSame && !outcome) return waited({ ...held, opened: skips ? bare(current) : current })
        held.release()
        if (outcome) return waited(outcome)
        continue
      } catch (error) {
        held.release()
        throw error
      }
    }
    // A living owner logs in within its own time, and what comes of it changes the record.
    if (quietMs >= loginTimeoutMs + lockMs) {
      const failed = {
        ...about,
        type: 'store.failed',
        operation: 'lock',
        reason: 'timeout',
      } as const
      emit(onEvent, () => failed)
      throw storeUnavailable
    }
    await wait(pauseMs)
  }
}

/** Leaves of a record only what outlives `invalidate()`. */
function bare({ generation, content }: Opened): Opened {
  const { refreshToken, spending } = content
  return { generation, content: { refreshToken, spending } }
}

async function takeLock(
  store: CheckedStore,
  key: string,
  ttlMs: number,
  { timers }: SharingSettings,
): Promise<Omit<Claim, 'opened'> | undefined> {
  const lock = { owner: crypto.randomUUID(), ttlMs }
  let fencingToken = await store.lock(key, lock)
  if (fencingToken === undefined) return undefined
  const first = fencingToken
  let heartbeat: Promise<unknown> = Promise.resolve()
  const endBeats = every(timers, ttlMs / 3, () => {
    heartbeat = heartbeat
      .then(() => store.extendLock(key, lock))
      .then((extended) => (fencingToken = extended ?? fencingToken), ignore)
  })
  return {
    fencingToken: () => fencingToken ?? first,
    release() {
      endBeats()
      // A lock that is being extended would be there again after it was freed.
      void heartbeat.then(() => store.unlock(key, lock.owner)).catch(ignore)
    },
  }
}

function ignore(): void {}
