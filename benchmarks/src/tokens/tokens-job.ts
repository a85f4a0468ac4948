import type { Job } from '../jobs/job.ts'
import type { TimingEffort } from '../measure/time-calls.ts'

/** What one library did. */
export interface TokenPerformance {
  readonly name: string
  readonly isOurs: boolean
  /** A token that is there, in CPU microseconds by round. */
  readonly cachedRounds: readonly number[]
  /** A request with it that is answered at once; empty where the library sends none. */
  readonly sendRounds: readonly number[]
  /** The logins that cold callers at once made. */
  readonly coldLogins: number
  /** How long they took, a login of 20 ms included. */
  readonly coldMs: number
}

/** Asks for tokens. */
export const tokensJob: Job<TimingEffort, readonly TokenPerformance[]> = {
  entry: '../tokens/ask-for-tokens.ts',
}

/** How many callers there are before there is a token. */
export const coldCallers = 10_000
