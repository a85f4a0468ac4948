import type { Secret } from '@svc/auth-hooks'
import {
  assertHeedsRedirects,
  check,
  checkFunctions,
  describeOrigins,
  isLoopback,
  matchOrigins,
  type OptionNames,
  readTrustRedirects,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, Fetch } from '@svc/types'
import type { CredentialsSource, SessionCredentials } from '../credentials.ts'
import type { LoginFunction } from '../login/login-function.ts'
import { type Internals, internalsOf } from '../timers.ts'
import { checkStore } from '../store-option.ts'
import { type SharedTokenStore, type Spending, storePlace } from '../token.ts'

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
   * whoever the login is redirected to.
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
  /** The functions and objects that make two sessions different, with the options they belong to. */
  readonly sessionOwners: readonly SessionOwner[]
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined
  readonly onEvent: ((event: AuthEvent) => void) | undefined
}

/** The login of a session. */
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
  readonly purpose: string | undefined
  /** `true` if a login may end the session of the token before. */
  readonly uniqueSession: boolean
  /** Given if a login spends a refresh token. */
  readonly spending: Spending | undefined
  /** The lifetime of a token that does not tell its own. */
  readonly defaultLifetimeMs: number
  /** Allows plain http beyond loopback. */
  readonly allowInsecureHttp: boolean
}

/** Settings of a session. */
export interface SessionSettings extends SessionLogin, Internals {
  readonly store: SharedTokenStore | undefined
  readonly renewBeforeMs: number
  readonly loginTimeoutMs: number
  readonly fetch: Fetch | undefined
  readonly trustRedirects: boolean
  readonly clock: () => number
  readonly random: () => number
}

/** A function or an object that a session is made with. */
export interface SessionOwner {
  readonly option: 'store' | 'fetch' | 'clock' | 'random' | 'login'
  readonly value: object
}

/** The longest that `setTimeout` can wait; beyond it, it fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** The names of {@link SessionOptions}. */
export const sessionOptionNames: OptionNames<SessionOptions> = {
  origins: 'origin',
  session: '',
  idleMs: 'maxIdleMs idle',
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
  login: Omit<SessionLogin, 'allowInsecureHttp'> & {
    readonly owner?: object | undefined
    readonly key?: Secret | undefined
  },
  credentials: SessionCredentials | CredentialsSource,
): SessionAuthSettings {
  const { clock, random, fetch, waitUntil, onEvent, store } = options
  const { renewBeforeMs = 600_000, loginTimeoutMs = 15_000, rejectedStatuses = [401] } = options
  const { session = 'shared', idleMs = 3_600_000, allowInsecureHttp = false } = options
  check(typeof allowInsecureHttp === 'boolean', caller, 'allowInsecureHttp must be true or false')
  const isSafe = base.protocol === 'https:' || isLoopback(base) || allowInsecureHttp
  const remedy = 'since a password is sent there; allowInsecureHttp: true allows http'
  check(isSafe, caller, `baseUrl must be https, ${remedy}`)
  check(
    Array.isArray(rejectedStatuses) && rejectedStatuses.every(Number.isInteger),
    caller,
    'rejectedStatuses must be an array of status codes',
  )
  checkFunctions({ clock, random, fetch, waitUntil, onEvent }, caller)
  const trustRedirects = readTrustRedirects(options, caller)
  if (!trustRedirects) assertHeedsRedirects(fetch, caller)
  check(
    Number.isFinite(renewBeforeMs) && renewBeforeMs >= 0,
    caller,
    'renewBeforeMs must be a non-negative number of milliseconds',
  )
  check(
    Number.isFinite(loginTimeoutMs) && loginTimeoutMs > 0 && loginTimeoutMs <= longestTimerMs,
    caller,
    'loginTimeoutMs must be a positive number of milliseconds, at most 2 147 483 647',
  )
  check(session === 'shared' || session === 'own', caller, "session must be 'shared' or 'own'")
  const isDuration = typeof idleMs === 'number' && idleMs >= 0
  check(isDuration, caller, 'idleMs must be a non-negative number of milliseconds')
  checkStore(store, login.spending, caller)
  const { owner, key, ...own } = login
  const { origins = [] } = options
  const statuses = new Set(rejectedStatuses)
  const place = store ? (store[storePlace] ?? [store]) : []
  const owners = { store: place, fetch: [fetch], clock: [clock], random: [random], login: [owner] }
  const sessionOwners = (['store', 'fetch', 'clock', 'random', 'login'] as const).flatMap(
    (option) =>
      owners[option].flatMap((value) =>
        value && typeof value !== 'string' ? [{ option, value }] : [],
      ),
  )
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
    covers: matchOrigins(origins, caller, 'origins', base),
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
      sessionOwners.map(({ option }) => option).join(),
      ...place.filter((part) => typeof part === 'string'),
    ],
    sessionOwners,
    waitUntil,
    onEvent,
  }
}
