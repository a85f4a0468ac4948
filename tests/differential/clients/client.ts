import type { AuthScheme } from '@svc/types'
import type { FormClass } from '../bodies.ts'
import type { Case } from '../case.ts'

/** One call, in the values that every client is given. */
export interface Call {
  readonly url: string
  readonly method: Case['method']
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** The rest of the case: how the client is to treat redirects, and the limits it is given. */
  readonly one: Case
}

/** A response as its client shows it. */
export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The body as text, unless it failed. */
  readonly body: string
  readonly bodyError?: unknown
  /** What only some clients show: type, url, redirected. */
  readonly shown?: Readonly<Record<string, unknown>>
}

/** The adapter of a client, as a case configures it. */
export interface Auth {
  readonly scheme: AuthScheme
  readonly options: { readonly redirect?: 'follow' }
}

/** A client with a pool of one connection for each origin. */
export interface OpenedClient {
  readonly send: (call: Call) => Promise<Answer>
  readonly close: () => void | Promise<void>
}

/** A client under comparison: with its adapter, and bare. */
export interface Client {
  readonly name: string
  readonly adapter: string
  /** Tells if the client can be given a case at all. */
  readonly takes: (one: Case) => boolean
  readonly Form?: FormClass
  /** Opens the client with its adapter, or without `auth` the bare one. */
  readonly open: (auth: Auth | undefined) => OpenedClient
}

/** Returns the headers of Node's `rawHeaders`, or of undici's. */
export function pairs(raw: readonly string[]): [name: string, value: string][] {
  return raw.flatMap((name, n) => (n % 2 === 0 ? [[name.toLowerCase(), raw[n + 1] ?? '']] : []))
}

/** Returns the headers of an object whose values may be lists. */
export function entries(headers: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name.toLowerCase(), String(one)]),
  )
}

/** The name of a client with its adapter, as tests and the page have it. */
export function titleOf({ name, adapter }: Client): string {
  return `${adapter}, ${name}`
}
