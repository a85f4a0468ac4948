import type { Job } from '../jobs/job.ts'
import type { TimingEffort } from '../measure/time-calls.ts'

/** The performance of one library. */
export interface TokenPerformance {
  readonly name: string
  readonly isOurs: boolean
  /** The time to get a cached token, in CPU microseconds by round. */
  readonly cachedRounds: readonly number[]
  /** A request with it whose response is there at once; empty if the library sends none. */
  readonly sendRounds: readonly number[]
  /** The logins of all callers at once, without a cached token. */
  readonly coldLogins: number
  /** The time until all have the token, a login of 20 ms included. */
  readonly coldMs: number
}

/** Measures how libraries get tokens. */
export const tokensJob: Job<TimingEffort, readonly TokenPerformance[]> = {
  entry: '../tokens/ask-for-tokens.ts',
}

/** The number of callers before there is a token. */
export const coldCallers = 10_000
