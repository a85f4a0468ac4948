import type { AuthError, Secret } from '@svc/auth-hooks'
import type { SessionCredentials } from './credentials.ts'
import type { DpopRules } from './dpop/contract.ts'
import type { TokenStore } from './stores/store.ts'

/** A token and its history. Instants are epoch milliseconds. */
export interface Token {
  readonly value: string
  /** Counts the tokens of a session; 0 for one that came too late to be kept. */
  readonly generation: number
  readonly issuedAt: number
  readonly expiresAt: number
  readonly renewAt: number
  /** Number of logins in a row, that of this token included, made since a token was refused. */
  readonly replacements: number
  /** `true` if it came from a store, by the login of another session. */
  readonly isAdopted: boolean
  /** What it is sent with, such as a key. */
  readonly binding?: string | object | undefined
}

/** A token as a login or a store gives it. */
export interface Grant {
  readonly value: string
  /** The time for which it is good from its receipt. */
  readonly lifetimeMs: number
  /** What the next login may be made with. */
  readonly refreshToken?: string | undefined
  readonly binding?: Token['binding']
  /** Its number in the store. */
  readonly generation?: number | undefined
  /** Known from the session that logged in, if that was another one. */
  readonly adopted?: Pick<Token, 'issuedAt' | 'replacements'> | undefined
}

/**
 * Makes the next token of a session.
 *
 * @param last - The generation of the last token, and the number of logins in a row, this one included,
 * that replace a refused one.
 * @param random - Renews later by chance, so that many processes do not renew at the same time.
 */
export function issueToken(
  { value, lifetimeMs, generation = 0, adopted, binding }: Grant,
  last: Pick<Token, 'generation' | 'replacements'>,
  renewBeforeMs: number,
  now: number,
  random: () => number,
): Token {
  const expiresAt = now + lifetimeMs
  const aheadMs = Math.max(0, Math.min(renewBeforeMs, lifetimeMs / 2))
  return {
    value,
    generation: Math.max(last.generation + 1, generation),
    issuedAt: Math.min(adopted?.issuedAt ?? now, now),
    expiresAt,
    renewAt: expiresAt - aheadMs * (1 - random() / 2),
    replacements: adopted?.replacements ?? last.replacements,
    isAdopted: adopted !== undefined,
    binding,
  }
}

/** Keeps from a login with credentials that were refused. */
export interface Lockout {
  readonly retryAt: number
  /** Number of refusals in a row. */
  readonly refusals: number
}

/** The largest correction of a running clock that is tolerated. */
const clockChangeMs = 5000

/** Tells if an instant is ahead, and no further than it can be unless the clock was set back. */
export function isAhead(instant: number, now: number, atMostMs: number): boolean {
  return now < instant && instant - now <= atMostMs + clockChangeMs
}

/**
 * The need of a session for a token: `look` takes a newer one from the store and never logs in, `renew` has one that
 * is good for a while, `log-in` has none, or one that runs out soon.
 */
export type Urgency = 'look' | 'renew' | 'log-in'

/** The need of a session for a token, as the sharing of its store sees it. */
export interface LoginAttempt {
  readonly urgency: Urgency
  readonly credentials: SessionCredentials
  /** The token that the session had last, refused or not. */
  readonly lastValue: string | undefined
  /** Returns the token that the session can use now. */
  readonly validToken: () => Token | undefined
  /** Returns the number of logins in a row, the next one included, that replace a refused token. */
  readonly replacements: () => number
  /** Throws if no login may be made. */
  readonly assertMayLogIn: () => void
  /** Sends the refresh token of the store, if it has one; else the session's own. */
  readonly logIn: (refreshToken?: string, beforeSending?: BeforeSending) => Promise<Grant>
}

/**
 * Called before each request that may spend a refresh token. Resolves to the function that is told why it gave nothing:
 * by the error on its way, or by no argument where the server did not do what it asks for.
 *
 * @throws if it must not be sent.
 */
export type BeforeSending = () => Promise<(cause?: unknown) => void>

/** The end of a login attempt: a token is `adopted` if it is by the login of another session. */
export type LoginOutcome =
  | { readonly name: 'issued' | 'adopted'; readonly grant: Grant }
  | {
      readonly name: 'locked-out'
      readonly lockout: Lockout
      readonly error: AuthError
      /** `true` if the refused login was this session's. */
      readonly isOwn: boolean
    }
  | { readonly name: 'nothing-newer' }

/** Gets the tokens of a session from a store, or by one login of all who share it. */
export interface Sharing {
  obtain(attempt: LoginAttempt, signal: AbortSignal): Promise<LoginOutcome>
  /** Returns `false` for a while after the store failed. */
  isReachable(): boolean
  /**
   * Leaves the records that are in the store now: the session was invalidated.
   *
   * @param isOver - Absent or `false` if the session had nothing to drop: then only what an invalidation ends there.
   */
  invalidate(isOver?: unknown): void
  /** Tells if the next refresh token is known to this process alone, since the store did not take it. */
  hasUnstored(): boolean
  /** Called at each use: offers it to the store again, and returns `true` if the token must not be used any more. */
  used(): boolean
  /** Tells if the user is asked, which nobody may wait for any more. */
  isAsking?(): boolean
}

/**
 * Key of the function that shares a store. Registered, since the store and the session may come from
 * two copies of this package, and a property, since that survives a spread and a `Proxy`.
 */
export const sharingFactory: unique symbol = Symbol.for('svc-auth.sharing.2')

/** Key of what tells a login from another: two for one account are the same. In a context, that of `SessionSettings`. */
export const loginKey: unique symbol = Symbol.for('svc-auth.login.1')

/** The plain data of a login that a function of this package makes. */
export interface LoginKey {
  /** Everything that tells its records in a store from others. */
  readonly account: readonly string[]
  /** Tells its tokens from others of the account, as a scope does. */
  readonly purpose?: string | undefined
  /** Everything else that tells its sessions in the process from others. */
  readonly session?: Secret | undefined
  /** Tells its sessions in the process from those with another object. */
  readonly owner?: object | undefined
  /** Given for a login that spends a refresh token, so that it may be sent only once. */
  readonly rotation?: Rotation | undefined
  /** Given if its tokens are not sent as Bearer. */
  readonly sending?: DpopRules['sending'] | undefined
}

/** The rules of a refresh token that a server exchanges for the next one. */
export interface Rotation {
  /** The time for which the server takes it once more, in milliseconds. */
  readonly reuseGraceMs: number
  /** Given if the user is asked where there is no refresh token: adds that to a sharing. Gets a `SharedRecord`. */
  readonly signIn?: ((shared: never) => Sharing) | undefined
  /** Throws a `TypeError` if it cannot be kept in a store. */
  readonly assertStore: (store: SharedTokenStore | undefined, caller: string) => void
}

/** Key of what tells a store from another: two that are made for one place are the same store. */
export const storePlace: unique symbol = Symbol.for('svc-auth.store-place.1')

/**
 * A store, together with the code that shares one token through it, so that only those who use a store
 * load that code. `fileTokenStore`, `redisTokenStore` and `memoryTokenStore` return one;
 * `sharedTokenStore` of `@svc/auth-token/sharing` makes one of any {@link TokenStore}.
 */
export interface SharedTokenStore extends TokenStore {
  /**
   * The texts and objects that tell this store from another; itself by default.
   *
   * @ignore
   */
  readonly [storePlace]?: readonly (string | object)[]
  /**
   * Gets `SharingSettings` and returns a `Sharing`: types of the inside, which no one else needs.
   *
   * @ignore
   */
  readonly [sharingFactory]: (store: TokenStore, settings: never) => object
}
