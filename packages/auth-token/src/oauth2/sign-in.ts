import type { OAuth2ClientOptions } from './client.ts'
import type { OAuth2Login } from './grant-login.ts'

/** Key of the function behind a {@link SignIn}. Registered, since two copies of this package may meet in one program. */
export const signInKey: unique symbol = Symbol.for('svc-auth.sign-in.1')

/** Options of a client that acts for a user who is asked: without an `issuer`, the metadata of the `resource` tell it. */
export interface SignInClientOptions extends Omit<
  OAuth2ClientOptions,
  'issuer' | 'clientId' | 'scope'
> {
  /**
   * The issuer, whose metadata tell its endpoints. Must be given with `clientSecret` and with `tokenEndpoint`.
   *
   * @default the one that the metadata of `resource` name first, by RFC 9728; else the origin of `resource`
   */
  issuer?: string | URL | undefined
  /**
   * The client's identifier.
   *
   * @default that of a client which is registered with the server at the sign-in, by RFC 7591, and kept beside it
   */
  clientId?: string | undefined
  /**
   * The scopes to ask for, separated by blanks. Their order says nothing.
   *
   * @default those that the resource names, where its metadata tell the issuer, and `offline_access` where the server has
   * that; else none: those that the server gives
   */
  scope?: string | undefined
}

/** Who named the issuer: the program, the metadata of a resource, or a program which saw what these name. */
export type IssuerBy = 'program' | 'metadata' | 'both'

/** A way to ask the user for a sign-in, where a store has none: `deviceCode` and `loopback` of `@svc/auth-token/sign-in` make one. */
export interface SignIn {
  /**
   * Returns the login that goes on with the sign-in.
   *
   * @ignore
   */
  readonly [signInKey]: (
    options: SignInClientOptions,
    reuseGraceMs: number,
    /** `true` to ask for a refresh token as well, where the authorization server offers one by a scope. */
    addsOffline?: boolean,
    issuerBy?: IssuerBy,
  ) => OAuth2Login
}

/** Options of `refreshToken` with a sign-in in place of the text: `deviceCode` and `loopback` return them. */
export interface SignInTokenOptions extends SignInClientOptions {
  /** Asks the user for a sign-in, where the store has none. */
  refreshToken: SignIn
  /**
   * `none`: the server takes a refresh token any number of times.
   *
   * @default `'rotating'`
   */
  rotation?: 'rotating' | 'none' | undefined
  /**
   * The time for which the server takes a refresh token once more, in milliseconds.
   *
   * @default `0`
   */
  reuseGraceMs?: number | undefined
}
