import type { VerifiedContest } from './verify-contest.ts'

/** What one runtime made of the requests. */
export interface RuntimeSigning {
  readonly runtime: string
  readonly version: string
  readonly contests: readonly VerifiedContest[]
}
