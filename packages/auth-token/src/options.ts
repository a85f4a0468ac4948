import { isHttpToken, isLoopback, matchOrigins, parseBaseUrl } from '@svc/auth-hooks/scheme'
import type { AuthEvent, Fetch } from '@svc/types'
import type { TokenStore } from './stores/store.ts'
import {
  type CredentialsProvider,
  type CredentialsSource,
  credentialsSource,
  type UserCredentials,
} from './credentials.ts'

/** Options of `createTokenAuth`. */
export interface TokenAuthOptions {
  /**
   * The environment's base URL; the login goes to `/user/login` below it. https, or http on loopback and
   * with `allowInsecureHttp`.
   */
  baseUrl: string | URL
  /**
   * Origins that the token may go to besides that of `baseUrl`. `https://*.example.com` covers one label.
   *
   * @default `[]`
   */
  origins?: readonly string[] | undefined
  /** Who logs in, or a function called at each login, so that a password can change. */
  credentials: UserCredentials | CredentialsProvider
  /**
   * Sent as `UniqueSession`. Because a login may then end the session of the previous token, an early
   * renewal waits until no request with that token is in flight, for at most half of the remaining time.
   *
   * @default `true`
   */
  uniqueSession?: boolean | undefined
  /**
   * Where processes or hosts share one token: `fileTokenStore()`, `redisTokenStore(client)`, or your own.
   * Records are sealed with a key derived from the credentials before they are stored.
   *
   * @default none: the token stays in this session
   */
  store?: TokenStore | undefined
  /**
   * The `<prefix>` in the header names `x-<prefix>-security-token` and `x-<prefix>-route-token`.
   *
   * @default `'svc'`
   */
  vendorPrefix?: string | undefined
  /**
   * How long before it expires a token is renewed, in milliseconds: at most half of its lifetime, and
   * randomly up to half of this later, so that many processes do not renew at the same time.
   *
   * @default `600_000`
   */
  renewBeforeMs?: number | undefined
  /**
   * How long a login may take, including the credentials function, in milliseconds.
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
   * Receives events about logins, latches, tokens and the store. Errors it throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

/** The options, checked and complete. */
export interface TokenAuthSettings {
  readonly loginUrl: URL
  readonly covers: (url: URL) => boolean
  readonly readCredentials: CredentialsSource
  readonly credentialsCanChange: boolean
  readonly uniqueSession: boolean
  readonly store: TokenStore | undefined
  readonly sensitiveHeaders: readonly string[]
  readonly tokenHeader: string
  readonly routeHeader: string
  readonly renewBeforeMs: number
  readonly loginTimeoutMs: number
  readonly rejectedStatuses: ReadonlySet<number>
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined
  readonly fetch: Fetch | undefined
  readonly clock: () => number
  readonly random: () => number
  readonly onEvent: ((event: AuthEvent) => void) | undefined
}

/** The longest that `setTimeout` can wait; beyond it, it fires at once. */
const longestTimerMs = 2 ** 31 - 1

/**
 * Checks the options.
 *
 * @throws TypeError naming the option that is wrong.
 */
export function readOptions(options: TokenAuthOptions): TokenAuthSettings {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const { credentials, clock, random, fetch, waitUntil, onEvent, uniqueSession } = options
  const { allowInsecureHttp, vendorPrefix = 'svc', rejectedStatuses = [401] } = options

  const base = parseBaseUrl(options.baseUrl, '[@svc/auth-token] createTokenAuth')
  require(isOptional('boolean', allowInsecureHttp), 'allowInsecureHttp', 'true or false')
  require(isOptional('boolean', uniqueSession), 'uniqueSession', 'true or false')
  if (base.protocol === 'http:' && !isLoopback(base) && !allowInsecureHttp) {
    throw new TypeError(
      'baseUrl must be https, since a password is sent there; allowInsecureHttp: true allows http',
    )
  }
  require(isHttpToken(vendorPrefix), 'vendorPrefix', 'a string that is valid in a header name')
  require(Array.isArray(rejectedStatuses) &&
    rejectedStatuses.every((status) =>
      Number.isInteger(status),
    ), 'rejectedStatuses', 'an array of status codes')
  for (const [name, value] of Object.entries({ clock, random, fetch, waitUntil, onEvent })) {
    require(isOptional('function', value), name, 'a function')
  }
  const { renewBeforeMs = 600_000, loginTimeoutMs = 15_000 } = options
  require(Number.isFinite(renewBeforeMs) &&
    renewBeforeMs >= 0, 'renewBeforeMs', 'a non-negative number of milliseconds')
  require(Number.isFinite(loginTimeoutMs) &&
    loginTimeoutMs > 0 &&
    loginTimeoutMs <=
      longestTimerMs, 'loginTimeoutMs', 'a positive number of milliseconds, at most 2 147 483 647')

  const loginUrl = new URL(base)
  loginUrl.pathname = `${base.pathname.replace(/\/+$/, '')}/user/login`
  return {
    loginUrl,
    covers: matchOrigins(
      options.origins ?? [],
      '[@svc/auth-token] createTokenAuth',
      'origins',
      base,
    ),
    readCredentials: credentialsSource(credentials, `POST ${loginUrl.href}`),
    credentialsCanChange: typeof credentials === 'function',
    uniqueSession: uniqueSession ?? true,
    store: readStore(options.store),
    sensitiveHeaders: [`x-${vendorPrefix}-*`],
    tokenHeader: `x-${vendorPrefix}-security-token`,
    routeHeader: `x-${vendorPrefix}-route-token`,
    renewBeforeMs,
    loginTimeoutMs,
    rejectedStatuses: new Set(rejectedStatuses),
    waitUntil,
    fetch,
    // Looked up at each call: a test of the caller's may replace it.
    clock: clock ?? (() => Date.now()),
    random: random ?? (() => Math.random()),
    onEvent,
  }
}

function readStore(store: TokenStore | undefined): TokenStore | undefined {
  if (store === undefined) return undefined
  const methods = ['get', 'compareAndSwap', 'lock', 'unlock'] as const
  const isStore =
    typeof store === 'object' &&
    store !== null &&
    methods.every((method) => typeof store[method] === 'function')
  require(isStore, 'store', `an object with the methods ${methods.join(', ')}`)
  return store
}

function isOptional(type: 'boolean' | 'function', value: unknown): boolean {
  return value === undefined || typeof value === type
}

function require(isRight: boolean, option: string, what: string): void {
  if (!isRight) throw new TypeError(`${option} must be ${what}`)
}
