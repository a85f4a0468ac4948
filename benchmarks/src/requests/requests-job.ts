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
}

/** The performance of one contender. */
export interface RequestPerformance extends Omit<RequestContender, 'connect' | 'isBearer'> {
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
