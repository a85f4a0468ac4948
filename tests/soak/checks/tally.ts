import type { OperationResult } from '../traffic/perform.ts'
import { plainOutcome } from './outcomes.ts'

/** The number of times that each kind of operation came to each outcome. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<string, number>>

/** Counts outcomes. */
export interface Tally {
  readonly outcomes: Outcomes
  add(results: readonly OperationResult[]): void
}

/** A tally with nothing in it. */
export function createTally(): Tally {
  const outcomes = new Map<string, Map<string, number>>()
  return {
    outcomes,
    add(results) {
      for (const { operation, outcome } of results) {
        const own = outcomes.get(operation.kind) ?? new Map<string, number>()
        const plain = plainOutcome(operation, outcome)
        outcomes.set(operation.kind, own.set(plain, (own.get(plain) ?? 0) + 1))
      }
    },
  }
}
