import type { TimingEffort } from './measure/time-calls.ts'

/** The extent of a run: enough for the page, or for a first look at a change. */
export interface Effort {
  readonly name: 'full' | 'quick'
  readonly calls: TimingEffort
  readonly requests: { readonly rounds: number; readonly requestsPerRound: number }
  readonly halfLoad: { readonly rounds: number; readonly roundMs: number }
  readonly memory: {
    readonly uploadBytes: number
    readonly uploads: number
    /** Sent to a server, and responded to at once in the same process. */
    readonly requests: { readonly sent: number; readonly inProcess: number }
  }
  /** The largest number of users in one process. */
  readonly users: number
  readonly starts: number
}

const mebibyte = 1024 ** 2

/** The effort of the published page. */
export const fullEffort: Effort = {
  name: 'full',
  calls: { rounds: 9, roundMs: 20, warmUpMs: 120 },
  requests: { rounds: 15, requestsPerRound: 1000 },
  halfLoad: { rounds: 11, roundMs: 1000 },
  memory: {
    uploadBytes: 1024 * mebibyte,
    uploads: 5,
    requests: { sent: 30_000, inProcess: 1_000_000 },
  },
  users: 100_000,
  starts: 11,
}

/** The effort of `--quick`. */
export const quickEffort: Effort = {
  name: 'quick',
  calls: { rounds: 3, roundMs: 10, warmUpMs: 60 },
  requests: { rounds: 3, requestsPerRound: 400 },
  halfLoad: { rounds: 3, roundMs: 400 },
  memory: {
    uploadBytes: 256 * mebibyte,
    uploads: 1,
    requests: { sent: 5000, inProcess: 100_000 },
  },
  users: 10_000,
  starts: 3,
}
