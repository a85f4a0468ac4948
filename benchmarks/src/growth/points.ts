import { median } from '../measure/statistics.ts'
import type { GrowthCurve } from './growth-job.ts'

/** Returns each size with the median of its rounds. */
export function pointsOf({ sizes, rounds }: GrowthCurve): [size: number, value: number][] {
  return sizes.map((size, place) => [size, median(rounds[place] ?? [])])
}
