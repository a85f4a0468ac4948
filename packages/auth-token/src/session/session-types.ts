import type { AuthEvent } from '@svc/types'
import type { CredentialsSource, SessionCredentials } from '../credentials.ts'
import type { Token } from '../token.ts'

/** The state of a session. Instants are epoch milliseconds. */
export interface SessionReport {
  /**
   * `empty`: no token and no login in progress; `logging-in`: no token yet; `valid`: a token, also while it
   * is being renewed; `paused`: no token, and no login until `retryAt`.
   */
  readonly state: 'empty' | 'logging-in' | 'valid' | 'paused'
  /** When the token expires, if there is one. */
  readonly expiresAt?: number
  /** When the next login may be made, if it has to wait. */
  readonly retryAt?: number
  /** `true` while the next refresh token is known to this process alone, since the store did not take it. */
  readonly unstored?: true
  /** The number of the last token; with a store, the generation of its record. */
  readonly generation: number
}

/** A scheme that uses a session. It is kept while a call of it runs, or a login that it began, and no longer. */
export interface SessionUser {
  readonly onEvent: ((event: AuthEvent) => void) | undefined
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined
  /** Reads the credentials at each login; absent where they never change. */
  readonly readCredentials?: CredentialsSource | undefined
  /** Called with the credentials that were read for a renewal, if they are not those of the session. */
  readonly onOtherCredentials?: ((credentials: SessionCredentials) => void) | undefined
}

/** A token, or the credentials that the scheme has now, of which this session is not. */
export type TokenFound =
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'moved'; readonly credentials: SessionCredentials }

/** The wish for a token. */
export interface TokenRequest {
  readonly signal?: AbortSignal | undefined
  /** `true` for a request that can be sent only once. */
  readonly singleUse?: boolean | undefined
  /** `true` if the credentials of the session have just been read. */
  readonly isFresh?: boolean | undefined
}

/** The last that a scheme got of its session. */
export interface LastGiven {
  readonly generation: number
  readonly error?: unknown
}

/** One token for many callers: its login, those who wait for it, its renewal and its replacement. */
export interface Session {
  /**
   * Returns the token at hand, and begins its renewal if that is due. Returns `undefined` for a
   * single-use request that may get a better one.
   */
  tokenAtHand(user: SessionUser, singleUse: boolean): Token | undefined
  /** Resolves to the token, after a login if one is needed. */
  token(user: SessionUser, request?: TokenRequest): Promise<TokenFound>
  /** Counts a request that leaves with the token of this generation. */
  requestBegan(generation: number): void
  requestEnded(user: SessionUser, generation: number, now?: number): void
  /** Takes note of a refusal. Returns `true` if the request can be tried again with another token. */
  rejected(
    user: SessionUser,
    generation: number,
    status: number,
    target: string,
  ): boolean | Promise<boolean>
  /** Takes note of a request for this target whose token was not refused. */
  accepted(generation: number, target: string, now?: number): void
  /**
   * Drops the token and any pause.
   *
   * @param last - Drops no newer token, and no pause but the one that this scheme met or the first: others
   * share the session.
   */
  invalidate(user: SessionUser, last?: LastGiven): void
  report(): SessionReport
  /** The instant of the last call. */
  usedAt(): number
  /** Tells if requests or a login are under way. */
  isInUse(): boolean
}
