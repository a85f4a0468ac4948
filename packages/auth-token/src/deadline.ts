import { nextTurn } from '@svc/auth-hooks/scheme'
import { every, type Timers } from './timers.ts'

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
  timers: Timers,
  ms: number,
  onLate: () => void,
  onGrace?: (graceMs: number) => void,
): () => void {
  let isOver = false
  const startedAt = timers.now()
  const decide = (): void =>
    nextTurn(() => {
      if (!isOver) onLate()
    })
  let cancel = timers.after(ms, () => {
    if (timers.now() - startedAt < ms + heldUpMs) return decide()
    const graceMs = Math.min(ms, longestGraceMs)
    cancel = timers.after(graceMs, decide)
    onGrace?.(graceMs)
  })
  return () => {
    isOver = true
    cancel()
  }
}

/** A sign of life that something gives for as long as the request lives that began it. */
export interface Life {
  /** Calls back if there is no sign of it for two seconds. Returns the function that prevents it. */
  watch(onDead: () => void): () => void
  end(): void
}

/** The interval of the signs, in milliseconds. */
export const signMs = 1000

/**
 * Begins to give signs of life: in workerd, timers and promises end with the request that they are of, and
 * those of another request that wait for them would wait for ever.
 *
 * @param onSign - Called with each sign.
 */
export function startLife(timers: Timers, onSign?: () => void): Life {
  let signs = 0
  let hasEnded = false
  const endSigns = every(timers, signMs, () => {
    signs += 1
    onSign?.()
  })
  return {
    watch(onDead) {
      let endWatch = (): void => {}
      const look = (lastSign: number): void => {
        endWatch = startDeadline(timers, 2 * signMs, () => {
          if (hasEnded || signs > lastSign) look(signs)
          else onDead()
        })
      }
      look(signs)
      return () => endWatch()
    },
    end() {
      hasEnded = true
      endSigns()
    },
  }
}
