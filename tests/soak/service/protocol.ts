import type { Fault } from '@svc/emulator'
import type { AccountName } from '../plan/operation.ts'

/** A question to the process of the emulator. */
export type Question =
  | {
      readonly ask: 'begin'
      /** The milliseconds by which its clock is ahead of the time. */
      readonly aheadMs: number
      readonly faults: readonly Fault[]
    }
  | { readonly ask: 'revoke'; readonly account: AccountName }
  /** Hands over what arrived, and forgets it. */
  | { readonly ask: 'collect' }

/** A question, and the number that its reply bears. */
export interface Asked {
  readonly number: number
  readonly question: Question
}

/** The reply to a question. */
export interface Reply {
  readonly number: number
  readonly report?: ServiceReport
}

/** The addresses of the service, which its process says first. */
export interface Listening {
  readonly url: string
  /** Another origin, which no scheme covers. */
  readonly strayUrl: string
}

/** The arrivals since the last report. */
export interface ServiceReport {
  readonly arrivals: readonly ArrivedRequest[]
  /** The number of tokens that were issued, by the account. */
  readonly issued: Readonly<Record<AccountName, number>>
  /** The number of requests that reached the other origin. */
  readonly strays: number
}

/** A request that arrived whole, whatever response it got. */
export interface ArrivedRequest {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** `undefined` where it got no response. */
  readonly status: number | undefined
  /** `true` if its token or signature was verified and good. */
  readonly isLetIn: boolean
  readonly hash: string
  readonly isChunked: boolean
}
