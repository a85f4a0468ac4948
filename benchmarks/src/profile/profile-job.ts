import type { Job } from '../jobs/job.ts'

/** The time of one request, by file. */
export interface RequestProfile {
  readonly request: string
  /** Shares of the time, from 0 to 1, by file; the garbage collector and the runtime have their own. */
  readonly shares: Readonly<Record<string, number>>
}

/** Samples `authFetch` at work. */
export const profileJob: Job<{ readonly durationMs: number }, readonly RequestProfile[]> = {
  entry: '../profile/sample-requests.ts',
}
