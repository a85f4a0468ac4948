import type { AuthFetchOptions } from '@svc/auth-hooks'
import type { AuthScheme } from '@svc/types'
import type { Guard } from './guard.ts'

/** A way to send requests, with the adapter that this repository has for it. */
export interface ClientUnderTest {
  readonly name: string
  /** The way to send or to be given an adapter, where it has several. */
  readonly way?: string
  /** The version that is installed. */
  readonly version: string
  /** The adapter that authenticates its requests. */
  readonly adapter: string
  /** Its refusals by design: the error's name or code, by the name of the scenario. */
  readonly refuses?: Readonly<Record<string, string>>
  /** Its limits: the reason, by the name of the scenario. Each scenario listed here must fail. */
  readonly cannot?: Readonly<Record<string, string>>
  readonly connect: (scheme: AuthScheme, settings: ConnectionSettings) => Connection
}

/** A client with its way and version, for a person to read. */
export function titleOf({ name, way, version }: ClientUnderTest): string {
  return [name, way, version].filter((part) => part !== undefined).join(' ')
}

/** The set-up of a client. */
export interface ConnectionSettings {
  /** Options of the adapter. */
  readonly options?: Options
  /** A certificate to trust; the client speaks HTTP/2 then, if it can. */
  readonly ca?: string
  /** Asked before each request leaves, by a dispatcher or an agent that the client itself is given. */
  readonly guard?: Guard
}

/** Options that adapters take; the last two only those that are given a `Request`. */
export type Options = Pick<
  AuthFetchOptions,
  'redirect' | 'sensitiveHeaders' | 'maxReplayBytes' | 'rebuildRequests'
>

/** Returns the options that every adapter takes which follows redirects. */
export function redirectOptions({ redirect, sensitiveHeaders }: Options = {}): Pick<
  Options,
  'redirect' | 'sensitiveHeaders'
> {
  return { redirect, sensitiveHeaders }
}

/** A client that is set up. */
export interface Connection {
  /** Sends as the client does by default: an error status is an error where it makes it one. */
  readonly send: (call: ClientCall) => Promise<ClientResponse>
  /** The parts of it that a program might log: the instance, its defaults. */
  readonly shown: unknown
  readonly close?: () => Promise<void>
}

/** A request in nobody's idiom; each client says it in its own. */
export interface ClientCall {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Body
  /** A value that the client itself turns into JSON. */
  readonly json?: object
  readonly signal?: AbortSignal
  /** By the client's own means, or by `AbortSignal.timeout` where it has none. */
  readonly timeoutMs?: number
  /** The number of times that the client itself sends once more after a 503, without waiting. */
  readonly retries?: number
  /** Headers that a hook or an interceptor of the client's sets on an attempt. */
  readonly hook?: () => Readonly<Record<string, string>>
  /** `true` if the response is read piece by piece. */
  readonly streamed?: boolean
}

/** The bodies that are no JSON. */
export type Body =
  | string
  | Uint8Array<ArrayBuffer>
  | ArrayBuffer
  | Blob
  | URLSearchParams
  | FormData
  | ReadableStream<Uint8Array>

/** The response of a client, in the same form for all of them. */
export interface ClientResponse {
  readonly status: number
  text(): Promise<string>
  /** The pieces of a streamed response. */
  chunks(): AsyncIterable<Uint8Array>
  /** The parts of it that a program might log. */
  readonly shown: unknown
}

/** Thrown by a client that has no way to say a call. */
export class NotPossible extends Error {
  override readonly name = 'NotPossible'
}
