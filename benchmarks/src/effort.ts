import type { TimingEffort } from './measure/time-calls.ts'

/** The extent of a run: enough for the page, or for a first look at a change. */
export interface Effort {
  readonly name: 'full' | 'quick'
  readonly calls: TimingEffort
  readonly requests: { readonly rounds: number; readonly requestsPerRound: number }
  readonly uploads: { readonly bytes: number; readonly rounds: number }
  /** Imports and processes that are started, each so many times. */
  readonly starts: number
  readonly transfers: { readonly bytes: number; readonly rounds: number }
}

const mebibyte = 1024 ** 2

/** The effort of the published page: under 8 minutes on two idle cores. */
export const fullEffort: Effort = {
  name: 'full',
  calls: { rounds: 9, roundMs: 40, warmUpMs: 200 },
  requests: { rounds: 15, requestsPerRound: 1500 },
  uploads: { bytes: 1024 * mebibyte, rounds: 5 },
  starts: 11,
  transfers: { bytes: 512 * mebibyte, rounds: 3 },
}

/** The effort of `--quick`. */
export const quickEffort: Effort = {
  name: 'quick',
  calls: { rounds: 3, roundMs: 10, warmUpMs: 60 },
  requests: { rounds: 3, requestsPerRound: 400 },
  uploads: { bytes: 256 * mebibyte, rounds: 1 },
  starts: 3,
  transfers: { bytes: 64 * mebibyte, rounds: 1 },
}
