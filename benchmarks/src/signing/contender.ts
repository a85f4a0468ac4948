import type { SigningCase } from './case.ts'

/** Something that signs requests, or the least that whatever signs must do. */
export interface Contender {
  readonly name: string
  readonly role: Role
  /** Returns `true` for the requests that it is for; by default all. */
  readonly takes?: (given: SigningCase) => boolean
  /** Makes everything that is made once, and returns the work of each request. */
  readonly prepare: (given: SigningCase) => Promise<PreparedContender>
}

/** The role of a contender on the page. */
export type Role = 'ours' | 'peer' | 'floor'

/** A contender that has been given its request. */
export interface PreparedContender {
  /** Signs the request once. */
  readonly sign: () => unknown
  /** Signs it once more, and returns the request to be sent; a floor sends nothing. */
  readonly sent?: () => Promise<SentRequest>
}

/** The head of a request as it would be sent. */
export interface SentRequest {
  /** Path and query. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** Returns the head that a `Request`, or the arguments of `fetch`, would send. */
export function sentByFetch(input: string | URL | Request, init?: RequestInit): SentRequest {
  const { url, headers } = new Request(input, init)
  const { pathname, search, host } = new URL(url)
  return {
    target: pathname + search,
    headers: [...[...headers].filter(([name]) => name !== 'host'), ['host', host]],
  }
}
