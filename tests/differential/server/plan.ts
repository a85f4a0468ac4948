import type { Socket } from 'node:net'
import type { Case } from '../case.ts'
import type { ReadBody, RequestHead } from './read-request.ts'

/** The three origins: the scheme covers the first two. */
export const originNames = ['first', 'covered', 'uncovered'] as const
export type OriginName = (typeof originNames)[number]

/** A request as a server received it. */
export interface Arrived extends RequestHead, ReadBody {
  readonly origin: OriginName
  /** The part of the path after the number of the plan. */
  readonly path: string
}

/** What the servers do for one call, and what they have seen of it. */
export interface Plan {
  /** The first segment of every path of the call. */
  readonly id: string
  readonly one: Case
  readonly arrived: Arrived[]
  /** Requests whose head arrived, whatever became of their bodies. */
  readonly begun: string[]
  /** Bytes that were no request, and requests that the caller never made. */
  readonly stray: string[]
  readonly sockets: Set<Socket>
}
