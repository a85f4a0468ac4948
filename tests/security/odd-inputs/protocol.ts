import type { OddCase } from './plan.ts'

/** A case for a process to carry out. */
export interface Task {
  readonly plan: OddCase
  readonly origin: string
  readonly strayOrigin: string
  /** The folder for the files of bodies. */
  readonly folder: string
  /** `true` if the client sends by itself, without an adapter of ours. */
  readonly isPlain: boolean
  /** How many times as long as usual everything may take. */
  readonly patience: number
}

/** From the parent: a case, the end of its connections, or the end of all. */
export type Order =
  | { readonly order: 'carry-out'; readonly task: Task }
  | { readonly order: 'look' }
  | { readonly order: 'end' }

/** From the process. */
export type Report =
  | { readonly report: 'ready' }
  | {
      readonly report: 'settled'
      /** `resolved`, `rejected`, or `unsettled` after its time. */
      readonly outcome: 'resolved' | 'rejected' | 'unsettled'
      /** `true` if the scheme was asked, so that an adapter saw the request. */
      readonly isAsked: boolean
      /** `true` if the scheme gave a credential, so that what comes next is the client's. */
      readonly isGiven: boolean
      /** The error, for a person to read. */
      readonly error?: string
      /** The length of what must have arrived, where the body is a good one. */
      readonly expected?: number
    }
  | {
      readonly report: 'looked'
      /** What is there that was not there before. */
      readonly left: readonly string[]
    }

/** The time that a call has. What goes on by itself is aborted long before. */
export const callLimitMs = 4000

/** The time after which nothing may be left of a call: more than what is read away, or a login, takes. */
export const settlingMs = 2500

/** The time that a process must live on. */
export const afterlifeMs = 1000
