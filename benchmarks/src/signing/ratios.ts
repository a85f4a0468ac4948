import { medianRatio } from '../measure/statistics.ts'
import type { VerifiedPerformance } from './verify-contest.ts'

/** Returns the time of each contender as a multiple of one of ours; rejected ones do not count. */
export function ratios(
  performances: readonly VerifiedPerformance[],
  ours: VerifiedPerformance | undefined,
): ReadonlyMap<string, number> {
  if (!ours || ours.refused !== undefined) return new Map()
  const counting = performances.filter(({ refused }) => refused === undefined)
  return new Map(
    counting.map(({ contender, rounds }) => [contender, medianRatio(rounds, ours.rounds)]),
  )
}

/** Returns the first contender of ours, which the others are compared with. */
export function firstOfOurs(
  performances: readonly VerifiedPerformance[],
): VerifiedPerformance | undefined {
  return performances.find(({ role }) => role === 'ours')
}
