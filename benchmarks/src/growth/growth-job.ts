import type { Job } from '../jobs/job.ts'
import type { TimingEffort } from '../measure/time-calls.ts'

/** A thing that grows: a part of the request, or the number of users. */
export interface Dimension {
  readonly name: string
  /** The unit of its sizes. */
  readonly unit: string
  readonly sizes: readonly number[]
}

/** A quantity by size, and by round. */
export interface GrowthCurve extends Dimension {
  /** The unit of the quantity. */
  readonly quantity: 'µs' | 'bytes'
  readonly rounds: readonly (readonly number[])[]
}

/** Signs larger and larger requests. */
export const growthJob: Job<TimingEffort, readonly GrowthCurve[]> = {
  entry: '../growth/sign-larger.ts',
}

/** Opens sessions for more and more users in one process, and lets more and more callers wait for one login. */
export const sessionsJob: Job<{ rounds: number; users: number }, readonly GrowthCurve[]> = {
  entry: '../growth/open-sessions.ts',
}
