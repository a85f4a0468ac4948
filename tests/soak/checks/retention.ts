import type { OperationResult } from '../traffic/perform.ts'

/**
 * Watches whether the bodies that clients were given are let go, by references that do not hold them.
 * A leak of a request shows within some rounds, long before the heap tells it from noise.
 */
export interface Retention {
  watch(results: readonly OperationResult[]): void
  /** Says so where bodies of earlier rounds are held. */
  wrong(): string[]
}

/** A client may keep its last request on each of its connections, until the next one takes its place. */
const freshRounds = 2
/** Far less than a leak leaves in each round. */
const mostHeld = 8

/** A watch with nothing in it. */
export function createRetention(): Retention {
  let rounds: WeakRef<object>[][] = []
  return {
    watch(results) {
      const bodies = results.flatMap(({ source }) =>
        typeof source?.body === 'object' ? [new WeakRef(source.body)] : [],
      )
      rounds.push(bodies)
    },
    wrong() {
      // First of all: what is looked up is held until the end of the job.
      globalThis.gc?.()
      rounds = rounds.map((bodies) => bodies.filter(isHeld))
      const held = rounds.slice(0, -freshRounds).flat().length
      return held > mostHeld ? [`${held} bodies of earlier rounds are held`] : []
    },
  }
}

function isHeld(body: WeakRef<object>): boolean {
  return body.deref() !== undefined
}
