import type { TimingEffort } from './measure/time-calls.ts'

/** The extent of a run: enough for the page, or for a first look at a change. */
export interface Effort {
  readonly name: 'full' | 'quick'
  readonly calls: TimingEffort
  readonly requests: { readonly rounds: number; readonly requestsPerRound: number }
  readonly memory: { readonly uploadBytes: number; readonly requests: number }
  readonly starts: number
}

const mebibyte = 1024 ** 2

/** The effort of the published page. */
export const fullEffort: Effort = {
  name: 'full',
  calls: { rounds: 9, roundMs: 40, warmUpMs: 150 },
  requests: { rounds: 11, requestsPerRound: 3000 },
  memory: { uploadBytes: 1024 * mebibyte, requests: 100_000 },
  starts: 11,
}

/** The effort of `--quick`. */
export const quickEffort: Effort = {
  name: 'quick',
  calls: { rounds: 3, roundMs: 10, warmUpMs: 60 },
  requests: { rounds: 3, requestsPerRound: 500 },
  memory: { uploadBytes: 256 * mebibyte, requests: 10_000 },
  starts: 3,
}
