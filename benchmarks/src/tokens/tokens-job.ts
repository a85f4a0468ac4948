import type { Job } from '../jobs/job.ts'
import type { TimingEffort } from '../measure/time-calls.ts'

/** The performance of one library. */
export interface TokenPerformance {
  readonly name: string
  /** A request with a token that is there, in CPU microseconds by round. */
  readonly rounds: readonly number[]
  /** The logins of all callers at once, when there is no token. */
  readonly coldLogins: number
}

/** Measures how libraries get and send tokens. */
export const tokensJob: Job<TimingEffort, readonly TokenPerformance[]> = {
  entry: '../tokens/ask-for-tokens.ts',
}

/** The number of callers before there is a token. */
export const coldCallers = 10_000
