import type { Job } from '../jobs/job.ts'
import type { RequestContender } from './contender.ts'

/** The parameters of the job. */
export interface RequestParameters {
  readonly bareUrl: string
  readonly emulatorUrl: string
  readonly rounds: number
  readonly requestsPerRound: number
}

/** One round of one contender. */
export interface RequestRound {
  readonly requestsPerSecond: number
  readonly cpuPerRequestUs: number
  /** The latency that half of the requests, and that 99 of 100, stayed within. */
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The performance of one contender. */
export interface RequestPerformance extends Pick<
  RequestContender,
  'name' | 'client' | 'isBare' | 'credential'
> {
  /** Empty if the emulator rejected its request. */
  readonly rounds: readonly RequestRound[]
  /** The status or the error of its request to the emulator, if that was no success. */
  readonly refused?: string
}

/** Sends whole requests with every client in turn. */
export const requestsJob: Job<RequestParameters, readonly RequestPerformance[]> = {
  entry: '../requests/send-requests.ts',
}

/** The number of requests that are under way at a time. */
export const concurrency = 16

/** Returns the name of a client that adds nothing to bare `fetch` but an async function. */
export function inAsyncFunction(credential: RequestContender['credential']): string {
  return `the same in an async function, ${credential}`
}
