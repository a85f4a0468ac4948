import type { Job } from '../jobs/job.ts'

/** The parameters of the job. */
export interface TraceParameters {
  readonly url: string
  readonly rounds: number
  readonly requestsPerRound: number
}

/** The cost of a request with one kind of listener. */
export interface TraceCost {
  readonly name: string
  /** CPU microseconds per request, by round. */
  readonly cpuRounds: readonly number[]
}

/** Sends requests with and without listeners. */
export const tracesJob: Job<TraceParameters, readonly TraceCost[]> = {
  entry: '../traces/send-traced.ts',
}
