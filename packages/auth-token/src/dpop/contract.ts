import type { MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingRequest, ResponseHead } from '@svc/types'
import type { LoginContext, LoginResult } from '../login/login-function.ts'
import type { Timers } from '../timers.ts'

/** The way in which the tokens of a login are sent, if that is not as Bearer. */
export interface Sending {
  readonly headers: (
    token: string,
    request: Readonly<{ method: string; url: string; previous?: ResponseHead | undefined }>,
    binding?: LoginResult['binding'],
  ) => MaybePromise<Record<string, string>>
  /**
   * Looks at a response before the session does, or is told that none came. Returns a reason to send the request once
   * more with the same token, or an empty text to leave the response to the caller. Neither is a refusal of the token.
   */
  readonly review: (
    head: ResponseHead | undefined,
    request: OutgoingRequest,
    binding: LoginResult['binding'],
  ) => string | undefined
}

/** Key of what is behind a {@link Dpop}. Registered, since two copies of this package may meet in one program. */
export const dpopKey: unique symbol = Symbol.for('svc-auth.dpop.1')

/** Stands between a key and the refresh token that is bound to it, where a store keeps both. */
export const separator = '\n'

/** Binds the tokens of a login to a key: `dpop()` of `@svc/auth-token/dpop` returns it. */
export interface Dpop {
  /** @ignore */
  readonly [dpopKey]: DpopRules
}

/** What the OAuth door needs of DPoP, so that it loads none of it. */
export interface DpopRules {
  /** Tells sessions with other rules apart. */
  readonly mark: string
  /** Tells sessions of this process with other keys apart. */
  readonly key: object | undefined
  readonly sending: (session: { clock: () => number; timers: Timers }) => Sending
  /** Returns the function that begins each login of one client. They have one key. */
  open(): (context: Pick<LoginContext<object>, 'fetch' | 'previous'>) => Promise<ProvenLogin>
}

/** A login whose requests carry a proof of the key. */
export interface ProvenLogin {
  /** Sends with a proof what is posted. */
  readonly fetch: (
    url: string,
    init: { readonly method: string; readonly headers: Record<string, string> },
  ) => Promise<Response>
  /** The refresh token as the server knows it. */
  readonly refreshToken: string | undefined
  /** Returns what is wrong with the metadata of the server, before anything is spent there. */
  problemIn(metadata: object): string | undefined
  /** Tells if the last request may be sent once more, since its proof was refused for what is known by now. */
  mayRepeat(error: unknown): boolean
  /** Tells if a token of this type, in lower case, may be kept. One that must not be sent keeps the next refresh token. */
  takes(type: string, nextRefreshToken: unknown): boolean
  /** Binds the result of a login to the key, if its token is. */
  bind(result: LoginResult, type: string): LoginResult
}
