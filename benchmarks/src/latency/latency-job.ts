import type { Job } from '../jobs/job.ts'
import type { RequestContender } from '../requests/contender.ts'

/** The latency of one client, by round. */
export interface Latency extends Pick<RequestContender, 'name' | 'isBare' | 'credential'> {
  readonly rounds: readonly LatencyRound[]
}

/** The latency that half of the requests of a round, and that 99 of 100, stayed within. */
export interface LatencyRound {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The latencies, and the requests per second at which they were measured. */
export interface LatencyResult {
  readonly requestsPerSecond: number
  readonly latencies: readonly Latency[]
}

/** Sends requests at half the rate that bare `fetch` reaches. */
export const latencyJob: Job<{ url: string; rounds: number; roundMs: number }, LatencyResult> = {
  entry: '../latency/send-at-half-load.ts',
}
