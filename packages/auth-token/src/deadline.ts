import { abortable, nextTurn } from '@svc/auth-hooks/scheme'
import type { Timers } from './timers.ts'

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
  signal?.addEventListener('abort', abort, { once: true })
  const endDeadline = startDeadline(timers, ms, () => deadline.abort(late()))
  try {
    return await abortable(Promise.resolve(action(deadline.signal)), deadline.signal)
  } finally {
    endDeadline()
    signal?.removeEventListener('abort', abort)
  }
}
