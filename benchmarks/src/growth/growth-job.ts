import type { Job } from '../jobs/job.ts'
import type { TimingEffort } from '../measure/time-calls.ts'

/** A part of the request that grows. */
export interface Dimension {
  readonly name: string
  /** The unit of its sizes. */
  readonly unit: string
  readonly sizes: readonly number[]
}

/** The time of one signature in microseconds, by size, and by round. */
export interface GrowthCurve extends Dimension {
  readonly rounds: readonly (readonly number[])[]
}

/** Signs larger and larger requests. */
export const growthJob: Job<TimingEffort, readonly GrowthCurve[]> = {
  entry: '../growth/sign-larger.ts',
}
