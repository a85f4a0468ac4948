import { nextTurn } from '@svc/auth-hooks/scheme'

/** A timer that fires so late was held up: the process was stopped, or had no time. */
const heldUpMs = 100
const longestGraceMs = 1000

/**
 * Calls back once the time is up and what had arrived by then was read. A process that was held up gets
 * a little longer, for what it takes to read it. Returns the function that prevents it.
 *
 * @param onGrace - Called with the additional time, in milliseconds.
 */
export function startDeadline(
  ms: number,
  onLate: () => void,
  onGrace?: (graceMs: number) => void,
): () => void {
  let isOver = false
  const startedAt = Date.now()
  const decide = (): void =>
    nextTurn(() => {
      if (!isOver) onLate()
    })
  let timer = setTimeout(() => {
    if (Date.now() - startedAt < ms + heldUpMs) return decide()
    const graceMs = Math.min(ms, longestGraceMs)
    timer = setTimeout(decide, graceMs)
    onGrace?.(graceMs)
  }, ms)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
