import { medianRatio } from '../measure/statistics.ts'
import type { VerifiedPerformance } from './verify-contest.ts'

/** How many times as long as a contender of ours the others take, and why some do not count. */
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

/** The first contender of ours, which the others are held against. */
export function firstOfOurs(
  performances: readonly VerifiedPerformance[],
): VerifiedPerformance | undefined {
  return performances.find(({ role }) => role === 'ours')
}
