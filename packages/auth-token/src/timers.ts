import { abortable, nextTurn } from '@svc/auth-hooks/scheme'

/** The time that passes by itself, as a session waits for it. The time of day is the `clock` of its options. */
export interface Timers {
  /** Calls back after so many milliseconds. Returns the function that prevents it. */
  after(ms: number, callback: () => void): () => void
  /** Milliseconds since some instant, also those for which the process was stopped. */
  now(): number
}

/** Whatever of the surroundings only a test replaces. */
export interface Internals {
  readonly timers: Timers
  /** The rounds of PBKDF2 that make the key of a record. */
  readonly sealRounds: number
}

/** Key of the {@link Internals} of a clock, which only tests of this package use: no option has this name. */
export const internalsKey: unique symbol = Symbol.for('svc-auth.internals')

const defaults: Internals = {
  timers: {
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
    now: () => Date.now(),
  },
  // The most that workerd allows.
  sealRounds: 100_000,
}

/** Returns the internals of a clock. */
export function internalsOf(clock: (() => number) | undefined): Internals {
  const own = clock && (Reflect.get(clock, internalsKey) as Partial<Internals> | undefined)
  return own ? { ...defaults, ...own } : defaults
}

/** Calls back again and again. Returns the function that ends it. */
export function every(timers: Timers, ms: number, callback: () => void): () => void {
  let cancel = (): void => {}
  const wait = (): void => {
    cancel = timers.after(ms, () => {
      wait()
      callback()
    })
  }
  wait()
  return () => cancel()
}

/** A timer that fires so late was held up: the process was stopped, or had no time. */
const heldUpMs = 100
const longestGraceMs = 1000

/**
 * Calls back once the time is up and what had arrived by then was read. A process that was held up gets
 * a little longer, for what it takes to read it. Returns the function that prevents it.
 */
export function startDeadline(timers: Timers, ms: number, onLate: () => void): () => void {
  let isOver = false
  const startedAt = timers.now()
  const decide = (): void =>
    nextTurn(() => {
      if (!isOver) onLate()
    })
  let cancel = timers.after(ms, () => {
    if (timers.now() - startedAt < ms + heldUpMs) decide()
    else cancel = timers.after(Math.min(ms, longestGraceMs), decide)
  })
  return () => {
    isOver = true
    cancel()
  }
}

/**
 * Gives an action so many milliseconds, and a signal that aborts once they are over.
 *
 * @param late - Returns the reason of that abort.
 * @param signal - Ends it as well.
 * @throws the reason of the signal that aborts first.
 */
export async function inTime<Result>(
  timers: Timers,
  ms: number,
  late: () => unknown,
  signal: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<Result> | Result,
): Promise<Result> {
  const deadline = new AbortController()
  const abort = (): void => deadline.abort(signal?.reason)
  signal?.throwIfAborted()
  signal?.addEventListener('abort', abort, { once: true })
  const endDeadline = startDeadline(timers, ms, () => deadline.abort(late()))
  try {
    return await abortable(Promise.resolve(action(deadline.signal)), deadline.signal)
  } finally {
    endDeadline()
    signal?.removeEventListener('abort', abort)
  }
}
