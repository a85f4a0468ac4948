import type { Job } from '../jobs/job.ts'

/** Where the time of one request goes. */
export interface RequestProfile {
  readonly request: string
  /** Shares of the time, from 0 to 1, by file, with the collector of garbage and the runtime beside them. */
  readonly shares: Readonly<Record<string, number>>
}

/** Samples `authFetch` at work. */
export const profileJob: Job<{ readonly durationMs: number }, readonly RequestProfile[]> = {
  entry: '../profile/sample-requests.ts',
}
