import type { Secret } from '@svc/auth-hooks'
import {
  check,
  checkFunctions,
  describeOrigins,
  isLoopback,
  matchBase,
  matchOrigins,
  type OptionNames,
  readTrustRedirects,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, Fetch } from '@svc/types'
import type { CredentialsSource, SessionCredentials } from '../credentials.ts'
import type { LoginFunction } from '../login/login-function.ts'
import { type Internals, internalsOf } from '../timers.ts'
import { type SharedTokenStore, sharingFactory, type Rotation, storePlace } from '../token.ts'

/** Options of every session, whatever its login is. */
export interface SessionOptions {
  /**
   * Origins that the token may go to besides what is below `baseUrl`, whatever the path; that of
   * `baseUrl` may be one of them. `https://*.example.com` covers one label.
   *
   * @default `[]`
   */
  origins?: readonly string[] | undefined
  /**
   * `shared`: schemes for the same login are one session, wherever in this process they are made. `own`: this
   * scheme logs in itself, as to check a password.
   *
   * @default `'shared'`
   */
  session?: 'shared' | 'own' | undefined
  /**
   * Time after its last use at which a shared session is forgotten, in milliseconds.
   *
   * @default `3_600_000`
   */
  idleMs?: number | undefined
  /**
   * Shares one token among processes or hosts: what `fileTokenStore()`, `redisTokenStore(client)` or
   * `memoryTokenStore()` returns, or, for a store of your own, `sharedTokenStore(store)`. Records are
   * sealed with a key derived from the credentials before they are stored.
   *
   * @default none: the token stays in this session
   */
  store?: SharedTokenStore | undefined
  /**
   * Time before the expiry of a token at which it is renewed, in milliseconds: at most half of its lifetime,
   * and randomly up to half of this later, so that many processes do not renew at the same time.
   *
   * @default `600_000`
   */
  renewBeforeMs?: number | undefined
  /**
   * Time limit of a login, including the credentials function, in milliseconds.
   *
   * @default `15_000`
   */
  loginTimeoutMs?: number | undefined
  /**
   * The response statuses that mean the token was refused.
   *
   * @default `[401]`
   */
  rejectedStatuses?: readonly number[] | undefined
  /**
   * Allows plain http beyond loopback, for a private network.
   *
   * @default `false`
   */
  allowInsecureHttp?: boolean | undefined
  /**
   * Receives a promise for each login, to keep a worker alive until it is done.
   *
   * @default none
   */
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined
  /**
   * The `fetch` that sends the login.
   *
   * @default the global `fetch`, looked up at each login
   */
  fetch?: Fetch | undefined
  /**
   * Takes a `fetch` that follows redirects whatever it is told, as React Native's does: with the password, to
   * any origin that the login is redirected to.
   *
   * @default `false`: such a `fetch` is a `TypeError`, and a redirect that one followed an `ERR_AUTH_LOGIN_REDIRECT`
   */
  trustRedirects?: boolean | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
  /**
   * A number from 0 to below 1, for jitter.
   *
   * @default `Math.random`
   */
  random?: (() => number) | undefined
  /**
   * Receives events about logins, pauses, tokens and the store. Errors it throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

/** The options of a scheme, checked and complete. */
export interface SessionAuthSettings {
  /** Those of the session, which is not this scheme's alone. */
  readonly ofSession: SessionSettings
  /** The credentials, or the function that reads them. */
  readonly credentials: SessionCredentials | CredentialsSource
  readonly covers: (url: URL) => boolean
  readonly coverage: () => string
  readonly rejectedStatuses: ReadonlySet<number>
  readonly session: 'shared' | 'own'
  readonly idleMs: number
  /** Everything of plain data, but the credentials, that makes two sessions different. */
  readonly sessionKey: readonly (string | number | boolean)[]
  /** The functions and objects that make two sessions different. */
  readonly owners: readonly object[]
  readonly waitUntil: SessionOptions['waitUntil']
  readonly onEvent: SessionOptions['onEvent']
}

export interface SessionLogin {
  /** The name of the scheme, for events. */
  readonly name: string
  /** The origin of the service, for events. */
  readonly origin: string
  /** The subject of messages, such as `POST https://search.example.com/user/login`. */
  readonly title: string
  readonly logIn: LoginFunction
  /** Everything of plain data that tells the records of this login from others. */
  readonly account: readonly string[]
  /** Tells the tokens of this login from others of the account. */
  readonly purpose?: string | undefined
  /** `true` if a login may end the session of the token before. */
  readonly uniqueSession: boolean
  /** Those of a login of this package. */
  readonly rules?: object | undefined
  /** Given if a login spends a refresh token. */
  readonly rotation?: Rotation | undefined
  /** The lifetime of a token that does not tell its own. */
  readonly defaultLifetimeMs: number
}

export interface SessionSettings extends SessionLogin, Internals {
  readonly store: SharedTokenStore | undefined
  readonly renewBeforeMs: number
  readonly loginTimeoutMs: number
  readonly allowInsecureHttp: boolean
  readonly fetch: Fetch | undefined
  readonly trustRedirects: boolean
  readonly clock: () => number
  readonly random: () => number
}

export interface SharingSettings extends SessionSettings {
  /** Tells the scheme whose login is under way. */
  readonly onEvent: (event: AuthEvent) => unknown
}

/** The longest that `setTimeout` can wait; beyond it, it fires at once. */
const longestTimerMs = 2 ** 31 - 1

export const sessionOptionNames: OptionNames<SessionOptions> = {
  origins: 'origin',
  session: '',
  idleMs: 'idle',
  store: 'cache storage',
  renewBeforeMs: 'refreshBeforeMs renewBefore',
  loginTimeoutMs: 'timeoutMs timeout loginTimeout',
  rejectedStatuses: 'statusCodes',
  allowInsecureHttp: '',
  waitUntil: '',
  fetch: 'fetchImpl customFetch',
  trustRedirects: '',
  clock: 'now',
  random: '',
  onEvent: 'onEvents',
}

/**
 * Checks the options.
 *
 * @param login - Tells the login of the session; `owner` is a function that no other login has, `key` is a text
 * that none has.
 * @throws TypeError naming the option that is wrong.
 */
export function readSessionOptions(
  options: SessionOptions,
  base: URL,
  caller: string,
  login: SessionLogin & { readonly owner?: object | undefined; readonly key?: Secret | undefined },
  credentials: SessionCredentials | CredentialsSource,
): SessionAuthSettings {
  const { clock, random, fetch, waitUntil, onEvent, store, origins = [] } = options
  const { renewBeforeMs = 600_000, loginTimeoutMs = 15_000, rejectedStatuses = [401] } = options
  const { session = 'shared', idleMs = 3_600_000, allowInsecureHttp = false } = options
  const { owner, key, ...own } = login
  const must = (condition: boolean, requirement: string): void =>
    check(condition, caller, requirement)
  must(typeof allowInsecureHttp === 'boolean', 'allowInsecureHttp must be true or false')
  must(
    base.protocol === 'https:' || isLoopback(base) || allowInsecureHttp,
    'baseUrl must be https, since a password is sent there; allowInsecureHttp: true allows http',
  )
  const areStatuses = Array.isArray(rejectedStatuses) && rejectedStatuses.every(Number.isInteger)
  must(areStatuses, 'rejectedStatuses must be an array of status codes')
  checkFunctions({ clock, random, fetch, waitUntil, onEvent }, caller)
  const trustRedirects = readTrustRedirects(options, caller)
  const mustBeTime = (isTime: boolean, name: string): void =>
    must(isTime, `${name} must be a non-negative number of milliseconds`)
  mustBeTime(Number.isFinite(renewBeforeMs) && renewBeforeMs >= 0, 'renewBeforeMs')
  must(
    Number.isFinite(loginTimeoutMs) && loginTimeoutMs > 0 && loginTimeoutMs <= longestTimerMs,
    'loginTimeoutMs must be a positive number of milliseconds, at most 2 147 483 647',
  )
  must(session === 'shared' || session === 'own', "session must be 'shared' or 'own'")
  mustBeTime(typeof idleMs === 'number' && idleMs >= 0, 'idleMs')
  must(
    store === undefined || typeof store?.[sharingFactory] === 'function',
    'store must be what memoryTokenStore(), fileTokenStore() or redisTokenStore(client) returns; ' +
      "wrap your own by sharedTokenStore of '@svc/auth-token/sharing'",
  )
  own.rotation?.assertStore(store, caller)
  const statuses = new Set(rejectedStatuses)
  const place = store ? (store[storePlace] ?? [store]) : []
  const owners = [...place, fetch, clock, random, owner]
  return {
    ofSession: {
      ...own,
      ...internalsOf(clock),
      allowInsecureHttp,
      store,
      renewBeforeMs,
      loginTimeoutMs,
      fetch,
      trustRedirects,
      // Looked up at each call: a test of the caller's may replace it.
      clock: clock ?? (() => Date.now()),
      random: random ?? (() => Math.random()),
    },
    credentials,
    covers: matchBase(base, matchOrigins(origins, caller, 'origins')),
    coverage: () => describeOrigins(base, origins),
    rejectedStatuses: statuses,
    session,
    idleMs,
    sessionKey: [
      ...own.account,
      key?.reveal() ?? '',
      base.href,
      own.name,
      own.uniqueSession,
      renewBeforeMs,
      loginTimeoutMs,
      idleMs,
      trustRedirects,
      [...statuses].sort((one, other) => one - other).join(),
      owners.map((one) => (typeof one === 'string' ? one : typeof one)).join(),
    ],
    owners: owners.filter((one) => typeof one === 'object' || typeof one === 'function'),
    waitUntil,
    onEvent,
  }
}
