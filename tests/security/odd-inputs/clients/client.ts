import type { AuthScheme } from '@svc/types'
import type { OddCase } from '../plan.ts'

/** A call in nobody's idiom. Its values may be anything. */
export interface OddCall {
  readonly url: unknown
  readonly method: unknown
  readonly headers: unknown
  readonly body: unknown
  readonly signal: unknown
  readonly timeout: unknown
  /** More of an `init`, with its redirect mode. */
  readonly init: object
  /** `true` if everything is to stand in a `Request`, where a client takes one. */
  readonly asRequest: boolean
  /** `true` if `duplex` is left out. */
  readonly withoutDuplex: boolean
  /** `true` if an init is frozen. */
  readonly isFrozen: boolean
  readonly isStreamed: boolean
}

/** The set-up of a client. */
export interface ClientSetup {
  /** None where the client is to send by itself, without an adapter of ours. */
  readonly scheme: AuthScheme | undefined
  readonly options: { readonly redirect?: 'follow' }
  readonly transport: OddCase['transport']
}

/** A client that is set up: a call resolves with what there is to read of its response. */
export interface OddClient {
  send(call: OddCall): Promise<unknown>
  close(): Promise<void>
}

/** Sets up a client. */
export type OpenClient = (setup: ClientSetup) => OddClient
