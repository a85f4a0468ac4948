import type { TimingEffort } from './measure/time-calls.ts'

/** How much is measured: enough for the page, or enough to see where a change leads. */
export interface Effort {
  readonly name: 'full' | 'quick'
  readonly calls: TimingEffort
  readonly requests: { readonly rounds: number; readonly requestsPerRound: number }
  readonly memory: { readonly uploadBytes: number; readonly requests: number }
  readonly starts: number
}

const mebibyte = 1024 ** 2

/** What the page is made with. */
export const fullEffort: Effort = {
  name: 'full',
  calls: { rounds: 9, roundMs: 40, warmUpMs: 150 },
  requests: { rounds: 11, requestsPerRound: 3000 },
  memory: { uploadBytes: 1024 * mebibyte, requests: 100_000 },
  starts: 11,
}

/** What `--quick` asks for. */
export const quickEffort: Effort = {
  name: 'quick',
  calls: { rounds: 3, roundMs: 10, warmUpMs: 60 },
  requests: { rounds: 3, requestsPerRound: 500 },
  memory: { uploadBytes: 256 * mebibyte, requests: 10_000 },
  starts: 3,
}
