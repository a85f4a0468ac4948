import type { OperationFault } from './fault.ts'

/** The clients that send. */
export const clientNames = [
  'fetch',
  'ky',
  'axios http',
  'axios fetch',
  'got',
  'undici',
  'openapi-fetch',
] as const
export type ClientName = (typeof clientNames)[number]

/** The token sessions, by account and number; those of one account share a store. */
export const sessionNames = ['memory 1', 'file 1', 'file 2', 'redis 1', 'redis 2'] as const
export type SessionName = (typeof sessionNames)[number]

/** The session whose token is revoked: a store would give back one that is dropped without need. */
export const revokedSession = 'memory 1' satisfies SessionName

/** The users: a primary user with a session of its own, and two subaccount users who share tokens. */
export const accountNames = ['memory', 'file', 'redis'] as const
export type AccountName = (typeof accountNames)[number]

/** The kinds of operations. */
export type Kind =
  /** Reads the groups of its account with a token. */
  | 'list groups'
  /** Posts a body with a token. */
  | 'post with token'
  /** The same, while the token is revoked and replaced: it is refused late, when there is another. */
  | 'post while revoked'
  /** Posts a signed body. */
  | 'post signed'
  /** Puts a signed object, which is read back at the end of the round. */
  | 'put'
  /** The same in signed chunks, with and without a trailer. */
  | 'put in chunks'
  | 'put in chunks, trailer'
  /** Reads an object that is there, all of it or only its first piece. */
  | 'get'
  | 'get, left early'
  /** Puts and reads with a link and no credentials. */
  | 'put by link'
  | 'get by link'
  /** A put that is redirected, and goes on with its body. */
  | 'put, moved'
  /** A signed post that is redirected to a page that wants a token. */
  | 'post, see other'
  /** A put that is redirected to another origin. */
  | 'put, sent astray'
  /** A request for another origin. */
  | 'uncovered'
  /** A session that is made for one request, with the store of its account. */
  | 'fresh session'
  /** An upload whose stream fails on the way. */
  | 'put, source fails'
  /** An upload whose stream stops in the middle, and which is then aborted. */
  | 'put, source stalls'
  /** The service revokes the tokens of the account. */
  | 'revoke'
  /** The session drops its token. */
  | 'invalidate'

/** A body to send, made of the number of its operation. */
export interface PlannedBody {
  readonly form: 'bytes' | 'text' | 'form' | 'blob' | 'stream'
  readonly bytes: number
}

/** A way in which the caller gives up. */
export type PlannedEnd =
  | { readonly by: 'abort'; readonly afterMs: number }
  | { readonly by: 'timeout'; readonly afterMs: number }
  | { readonly by: 'abort ahead' }

/** One thing to do, down to the last detail. */
export interface Operation {
  readonly id: string
  readonly kind: Kind
  readonly client: ClientName
  readonly session: SessionName
  /** `selector` if that chooses the scheme, `scheme` if the operation has it. */
  readonly via: 'selector' | 'scheme'
  readonly fault: OperationFault
  readonly body?: PlannedBody
  readonly end?: PlannedEnd
  /** The number of times that the client itself sends once more after a 503. */
  readonly retries: 0 | 1
  /** `true` if it has the signal of the whole program, where it has none of its own. */
  readonly sharesSignal: boolean
}

/** The account of a session. */
export function accountOf(session: SessionName): AccountName {
  // A session is named for its account.
  return session.split(' ')[0] as AccountName
}

/** Tells if the service asks for a token, at the end of the way of this operation. */
export function needsToken({ kind }: Operation): boolean {
  return [
    'list groups',
    'post with token',
    'post while revoked',
    'post, see other',
    'fresh session',
  ].includes(kind)
}

/** Tells if it posts to an address where the emulator has nothing, which it says to a good token alone. */
export function isPostedWithToken(kind: Kind): boolean {
  return kind === 'post with token' || kind === 'post while revoked'
}

/** Tells if the request is signed, at the beginning of the way of this operation. */
export function needsSignature({ kind }: Operation): boolean {
  return /^(?:put|get|post signed|post, see other)/.test(kind)
}

/** Tells if its body can be read only once, where it gets to the adapter. */
export function isSentOnce({ client, body }: Operation): boolean {
  // These two make a `Request` of it, of whose body a copy is kept.
  return body?.form === 'stream' && client !== 'ky' && client !== 'openapi-fetch'
}
