import type { VerifiedContest } from './verify-contest.ts'

/** The results of one runtime. */
export interface RuntimeSigning {
  readonly runtime: string
  readonly version: string
  readonly contests: readonly VerifiedContest[]
}
