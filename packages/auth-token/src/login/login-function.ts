import type { Fetch } from '@svc/types'

/**
 * The circumstances of a login.
 *
 * @template Credentials - The credentials of the session.
 */
export interface LoginContext<Credentials> {
  /** The credentials of the session. */
  readonly credentials: Credentials
  /**
   * The `fetch` for the requests of the login: it follows no redirect, sends over https alone beyond loopback, and
   * takes responses of up to 1 MiB. The failure of a login has the status of its last response.
   */
  readonly fetch: Fetch
  /** Aborts when the login is overdue. */
  readonly signal: AbortSignal
  /** The last that this session got. */
  readonly previous?:
    | {
        /** The refresh token of the last login that gave one, after the private key with `dpop` and a `store`. */
        readonly refreshToken?: string | undefined
      }
    | undefined
}

/** A login, as its session calls it. */
export type LoginFunction = (context: LoginContext<never>) => Promise<LoginResult> | LoginResult

/** The result of a login. */
export interface LoginResult {
  /** The token. */
  readonly token: string
  /**
   * When it expires, in epoch milliseconds of this machine's clock.
   *
   * @default `expiresInMs`, or the lifetime that the token tells as a JWT; else it is used until it is refused
   */
  readonly expiresAt?: number | undefined
  /**
   * How long it is good from now, in milliseconds.
   *
   * @default `expiresAt`
   */
  readonly expiresInMs?: number | undefined
  /**
   * Given to the next login as `previous.refreshToken`.
   *
   * @default the one before, if there was one
   */
  readonly refreshToken?: string | undefined
  /**
   * What the token is sent with.
   *
   * @ignore
   */
  readonly binding?: string | object | undefined
}
