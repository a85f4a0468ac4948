import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import {
  abortable,
  isLoopback,
  isRedirectStatus,
  misnamed,
  type OptionNames,
  redirectedOrigin,
} from '@svc/auth-hooks/scheme'
import type { Fetch, ReadonlyHeaders } from '@svc/types'
import { longestPauseMs } from '../back-off.ts'
import { latin1FromBase64 } from '../base64.ts'
import type { SessionCredentials } from '../credentials.ts'
import { startDeadline } from '../deadline.ts'
import type { LoginResult } from './login-function.ts'
import { causesOf, describeNetworkError, wasNeverSent } from './network-error.ts'
import type { SessionSettings } from '../session-options.ts'
import { readServerMessage } from './server-message.ts'
import type { Timers } from '../timers.ts'
import { type Grant, type Lifetime, loginKey, type Spender } from '../token.ts'

const maxResponseBytes = 1024 * 1024
/** The most that is read of a failed login's response, for the message in it. */
const maxMessageBytes = 16 * 1024
const maxMessageMs = 2000

/** The longest lifetime that counts. */
export const longestLifetimeMs: number = 10 * 365 * 24 * 60 * 60 * 1000
/** The lifetime of a token that seems to have expired on arrival: a login for each request would be worse. */
const shortestLifetimeMs = 60_000
/** The latest instant in seconds (in the year 5138); a later one is in milliseconds by mistake. */
const latestSaneSeconds = 1e11

/** A login that is under way, for the error of one that takes too long. */
export interface LoginProgress {
  /** The side that has to take the next step. */
  waitsFor: 'credentials' | 'store' | 'service'
  /** The failure that the head of the response tells, while its body is read. */
  failure?: AuthError
}

/**
 * Makes one login and checks its result.
 *
 * @param spender - Told of each request that may spend the refresh token.
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`, or the one that the login threw.
 */
export async function requestLogin(
  settings: SessionSettings,
  credentials: SessionCredentials,
  progress: LoginProgress,
  signal: AbortSignal,
  refreshToken?: string,
  spender?: Spender,
): Promise<Grant> {
  const { clock, title } = settings
  const last: LastResponse = { failure: undefined, serverTimeMs: undefined, status: undefined }
  const secrets = (): string[] => [
    ...credentials.secrets(),
    ...(refreshToken === undefined ? [] : [refreshToken]),
  ]
  let result: LoginResult
  try {
    result = await settings.logIn({
      // Of the type that the login is for.
      credentials: credentials.value as never,
      fetch: loginFetch({ ...settings, secrets, spender }, progress, last, signal),
      signal,
      ...(refreshToken !== undefined && { previous: { refreshToken } }),
      ...(settings.spending && { [loginKey]: true }),
    })
  } catch (cause) {
    if (AuthError.is(cause)) throw cause
    throw last.failure ?? failureOf(cause, last, title)
  }
  const { status, serverTimeMs } = last
  const {
    token,
    expiresAt,
    expiresInMs,
    refreshToken: next,
  } = readResult(result, (code, what) => {
    // A login that does not look at the status has no token to return.
    const refusal = code === 'ERR_AUTH_LOGIN_NO_TOKEN' ? last.failure : undefined
    return refusal ?? loginError(title, code, what, { status })
  })
  const givenMs = expiresInMs ?? (expiresAt === undefined ? undefined : expiresAt - clock())
  const lifetime =
    givenMs === undefined
      ? tokenLifetime(token, serverTimeMs, settings.defaultLifetimeMs, clock())
      : { lifetimeMs: boundedLifetime(givenMs) }
  return { value: token, ...lifetime, ...(next !== undefined && { refreshToken: next }) }
}

/** Returns the failure of a login of one's own, which may have sent what it sent by a client of its own. */
function failureOf(cause: unknown, { status, type }: LastResponse, title: string): AuthError {
  if (status !== undefined && type?.startsWith('text/html')) {
    const what = `failed after a response with status ${status}, which is a page of HTML`
    return loginError(title, 'ERR_AUTH_LOGIN_NOT_JSON', what, { status, cause })
  }
  const told = statusIn(cause)
  if (told !== undefined) {
    return loginRefused(title, 'ERR_AUTH_LOGIN_REFUSED', { status: told, cause })
  }
  // Else any of them may have looked at the password: more of them could lock the account.
  const isTransient = Object(cause).transient === true || wasNeverSent(cause)
  const code = isTransient ? 'ERR_AUTH_LOGIN_FAILED' : 'ERR_AUTH_LOGIN_REFUSED'
  return loginError(title, code, 'failed', { status: isTransient ? undefined : status, cause })
}

/** Returns the status of a refusal that an error of another client tells. */
function statusIn(error: unknown): number | undefined {
  for (const { link } of causesOf(error)) {
    const { status, statusCode, response } = Object(link) as Record<string, unknown>
    const told = [status, statusCode, Object(response).status].find(
      (one) => typeof one === 'number' && one >= 400 && one < 600,
    )
    if (told !== undefined) return told as number
  }
  return undefined
}

/** The last response to a login. */
interface LastResponse {
  /** The failure that it is, if its status is none of success. */
  failure: AuthError | undefined
  serverTimeMs: number | undefined
  status: number | undefined
  /** Its `content-type`. */
  type?: string | null | undefined
}

/** Returns the `fetch` of a login, which takes note of the last response. */
function loginFetch(
  settings: SessionSettings & {
    /** Returns the texts that must not stand in a message. */
    readonly secrets: () => readonly string[]
    /** Told of everything but a look at metadata. */
    readonly spender: Spender | undefined
  },
  progress: LoginProgress,
  last: LastResponse,
  signal: AbortSignal,
): Fetch {
  const { allowInsecureHttp, clock, timers, loginTimeoutMs, title, trustRedirects } = settings
  const { secrets, spender } = settings
  const fail = (code: AuthErrorCode, what: string, options?: AuthErrorOptions): AuthError =>
    loginError(title, code, what, options)
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.protocol !== 'https:' && !isLoopback(url) && !allowInsecureHttp) {
      throw fail('ERR_AUTH_URL', `was not sent: ${url.origin} is not https`)
    }
    // A page that is offline cannot tell afterwards that nothing was sent.
    if (isOffline()) throw fail('ERR_AUTH_LOGIN_NETWORK', 'was not sent: the browser is offline')
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
    const ended = method === 'POST' ? await spender?.beforeSending() : undefined
    let response: Response
    const body: ResponseText = { text: '', isWhole: false }
    try {
      // Called unbound: with a `this` it is an illegal invocation in browsers.
      const send = settings.fetch ?? globalThis.fetch
      response = await send(input, { ...init, redirect: 'manual', signal: init?.signal ?? signal })
      if (response.ok) await readText(body, response, maxResponseBytes, signal)
    } catch (cause) {
      if (wasNeverSent(cause)) ended?.('unsent')
      const what = describeNetworkError(cause, url)
      throw fail('ERR_AUTH_LOGIN_NETWORK', what, { cause: redactParserError(cause) })
    }

    const { headers, status } = response
    if (isRedirect(response) || (status >= 400 && status < 500 && status !== 408))
      ended?.('refused')
    const now = clock()
    const date = Date.parse(headers.get('date') ?? '')
    last.serverTimeMs = Number.isNaN(date) ? undefined : date
    last.status = status
    last.type = headers.get('content-type')
    last.failure = undefined
    const waitMs = response.ok ? undefined : retryAfterMs(headers, last.serverTimeMs ?? now)
    const retryAt = waitMs === undefined ? undefined : now + waitMs
    const followedTo = trustRedirects ? undefined : redirectedOrigin(response, url)
    if (followedTo !== undefined) {
      response.body?.cancel?.().catch(() => {})
      const what = `was redirected to ${followedTo} by a fetch that follows redirects whatever it is told`
      throw fail('ERR_AUTH_LOGIN_REDIRECT', what, { status })
    }
    // A browser hides the status of a redirect that it was told not to follow.
    if (isRedirect(response)) {
      // Nor is its text read, which often names the target.
      response.body?.cancel?.().catch(() => {})
      // No more than the origin is told: the rest may be secret.
      const target = headers.get('location') ?? ''
      const to = URL.canParse(target) ? ` to ${new URL(target).origin}` : ''
      throw fail('ERR_AUTH_LOGIN_REDIRECT', `was redirected${to}; not followed`, {
        status: status || undefined,
        retryAt,
      })
    }
    if (!response.ok) {
      const refuse = (serverMessage?: string): AuthError =>
        loginRefused(title, 'ERR_AUTH_LOGIN_REFUSED', { status, retryAt, serverMessage })
      progress.failure = refuse()
      const maxMs = Math.min(maxMessageMs, loginTimeoutMs / 4)
      const { text } = await readErrorText(response, maxMs, timers, signal)
      last.failure = refuse(readServerMessage(text, secrets()))
      body.text = text
    } else if (!body.isWhole) {
      throw fail('ERR_AUTH_LOGIN_TOO_LARGE', 'returned more than 1 MiB', { status })
    }
    const isNull = status === 204 || status === 205 || status === 304
    return new Response(isNull ? null : body.text, { status, headers })
  }
}

const resultNames: OptionNames<LoginResult> = {
  token: 'access_token accessToken jwt id_token',
  expiresAt: 'expires_at expiry exp',
  expiresInMs: 'expiresIn expires_in lifetimeMs',
  refreshToken: 'refresh_token',
}

function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || isRedirectStatus(status)
}

function isOffline(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly onLine?: unknown } }
  return navigator?.onLine === false
}

function readResult(
  result: unknown,
  fail: (code: AuthErrorCode, what: string) => AuthError,
): LoginResult {
  const misnomer = misnamed(Object(result) as object, 'the result of login', resultNames)
  const { token, expiresAt, expiresInMs, refreshToken } = Object(result) as Record<string, unknown>
  if (typeof result === 'string') {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned a text; the result of login is { token }')
  }
  if (misnomer) throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', `returned something else: ${misnomer}`)
  if (token === undefined || token === null) {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned no token')
  }
  if (!isSendable(token)) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a token that cannot be sent in a header')
  }
  for (const [name, value] of Object.entries({ expiresAt, expiresInMs })) {
    if (value === undefined || (typeof value === 'number' && value >= 0 && value < Infinity))
      continue
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', `returned ${name}, which is no number of milliseconds`)
  }
  const isText = typeof refreshToken === 'string' && refreshToken !== ''
  if (refreshToken !== undefined && !isText) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a refreshToken that is no text')
  }
  // Checked above.
  return { token, expiresAt, expiresInMs, refreshToken } as LoginResult
}

/** Tells if a token can be sent in a header. */
export function isSendable(token: unknown): token is string {
  return typeof token === 'string' && /^[!-~]+$/.test(token)
}

/** Returns the beginning of a response in which no part of a token may stand, as a message. */
export function messageIn(text: string, secrets: readonly string[]): string | undefined {
  return readServerMessage(text.slice(0, maxMessageBytes), secrets)
}

/** Returns the error of a login whose response has no token. */
export function loginRefused(
  title: string,
  code: AuthErrorCode,
  options: AuthErrorOptions,
): AuthError {
  const reason = options.serverMessage === undefined ? '' : ' and a reason (serverMessage)'
  const { status } = options
  const what = status === undefined ? 'failed' : `returned status ${status}`
  return loginError(title, code, `${what}${reason}`, options)
}

/** Returns the error of a login that is not over in time: what the service said so far, or who is late. */
export function loginTimeout(
  { title, loginTimeoutMs }: Pick<SessionSettings, 'loginTimeoutMs' | 'title'>,
  { waitsFor, failure }: LoginProgress,
): AuthError {
  const limit = `within ${loginTimeoutMs} ms (loginTimeoutMs)`
  const what = waitsFor === 'service' ? 'got no response' : 'was not sent'
  const who =
    waitsFor === 'credentials'
      ? 'credentials function did not return'
      : `${waitsFor} did not respond`
  return failure ?? loginError(title, 'ERR_AUTH_LOGIN_TIMEOUT', `${what} ${limit}: the ${who}`)
}

/** Returns an error of the login, which says where it went and nothing that was in it. */
export function loginError(
  title: string,
  code: AuthErrorCode,
  what: string,
  options?: AuthErrorOptions,
): AuthError {
  return new AuthError(code, `[@svc/auth-token] ${title} ${what}`, options)
}

/** The text of a response, as far as it was read. */
interface ResponseText {
  text: string
  isWhole: boolean
}

/**
 * Reads a response as UTF-8, or the beginning of one that is larger than the limit. An abort stops it
 * too, whether or not the `fetch` that it came from heeds the signal.
 */
async function readText(
  into: ResponseText,
  response: Response,
  limitBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const { body } = response
  const onAbort = (stop: () => void): void => signal.addEventListener('abort', stop, { once: true })
  if (typeof body?.getReader !== 'function') {
    // React Native has no streams, and a package for Node has those of Node.
    onAbort(() => Object(body).destroy?.())
    const text = await response.text()
    into.text = text.slice(0, limitBytes)
    into.isWhole = text.length <= limitBytes
    return
  }
  const reader = body.getReader()
  // Not awaited: a server that is still sending need not be waited for.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {})
  onAbort(cancel)
  const decoder = new TextDecoder()
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    into.text += decoder.decode(next.value.subarray(0, limitBytes - size), { stream: true })
    // Endless chunks of nothing would let no timer fire.
    size += next.value.byteLength || 1
    if (size > limitBytes) return cancel()
  }
  into.text += decoder.decode()
  into.isWhole = !signal.aborted
}

/** Reads the beginning of a failed login's response. A body that breaks off changes nothing about the failure. */
async function readErrorText(
  response: Response,
  maxMs: number,
  timers: Timers,
  signal: AbortSignal,
): Promise<ResponseText> {
  const into: ResponseText = { text: '', isWhole: false }
  const end = new AbortController()
  const stop = (): void => end.abort()
  const endDeadline = startDeadline(timers, maxMs, stop)
  signal.addEventListener('abort', stop, { once: true })
  await abortable(readText(into, response, maxMessageBytes, end.signal), end.signal).catch(() => {})
  signal.removeEventListener('abort', stop)
  endDeadline()
  return into
}

/**
 * Removes from an error of Node's `fetch` the bytes that its parser did not understand: the rest of the
 * response, and with it perhaps a token. Searches all that led to the error.
 *
 * @see https://undici.nodejs.org/#/docs/api/Errors
 */
function redactParserError(error: unknown): unknown {
  for (const { link, name } of causesOf(error)) {
    if (name === 'HTTPParserError') Reflect.deleteProperty(link, 'data')
  }
  return error
}

/**
 * Returns how long the server asks to wait, in milliseconds, or `undefined` if it does not say. A date
 * counts against the server's own `Date`, so that its clock does not matter.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(headers: ReadonlyHeaders, serverTimeMs: number): number | undefined {
  // A comma between a day and its date does not separate; the longest of several counts.
  const waits = (headers.get('retry-after') ?? '')
    .split(/,(?!\s*\d+[\s-][a-z])/i)
    .map((text) =>
      /^\s*\d+(?:\.\d*)?\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - serverTimeMs,
    )
    .filter((waitMs) => !Number.isNaN(waitMs))
  return waits.length === 0 ? undefined : Math.min(Math.max(0, ...waits), longestPauseMs)
}

/**
 * Returns the lifetime of a token from its receipt, so that the local clock does not matter: the lesser of `exp − iat`
 * and of the time that is left by the server's clock. That clock may be wrong, or that of a front: where it leaves less
 * than half of `exp − iat`, it does not count.
 *
 * @param serverTimeMs - The server's time on receipt, in epoch milliseconds, if known.
 * @param now - The own time on receipt, for a token without `iat` where the server's is not known; by default, such a
 * token has the default lifetime.
 * @returns At least a minute, in milliseconds.
 * @example
 * import { serviceLifetimeMs, tokenLifetime } from '@svc/auth-token'
 *
 * const token = `e30.${btoa('{"iat":1000, "exp":4600}')}.`
 * console.log(tokenLifetime(token, undefined, serviceLifetimeMs).lifetimeMs) // 3600000
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4
 */
export function tokenLifetime(
  token: string,
  serverTimeMs: number | undefined,
  defaultLifetimeMs: number,
  now?: number,
): Lifetime {
  const { exp, iat } = readClaims(token)
  if (exp === undefined) return { lifetimeMs: boundedLifetime(defaultLifetimeMs) }
  const leftMs = serverTimeMs === undefined ? undefined : exp * 1000 - serverTimeMs
  if (iat === undefined || exp <= iat) {
    const ownLeftMs = now === undefined ? defaultLifetimeMs : exp * 1000 - now
    return { lifetimeMs: boundedLifetime(leftMs ?? ownLeftMs) }
  }
  const wholeMs = (exp - iat) * 1000
  const isCredible = leftMs !== undefined && leftMs >= wholeMs / 2
  return { lifetimeMs: boundedLifetime(isCredible ? Math.min(wholeMs, leftMs) : wholeMs) }
}

function boundedLifetime(ms: number): number {
  return Math.min(Math.max(ms, shortestLifetimeMs), longestLifetimeMs)
}

function readClaims(token: string): { exp?: number | undefined; iat?: number | undefined } {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1]
  if (payload === undefined) return {}
  try {
    // UTF-8 or not, numbers are the same.
    const { exp, iat } = Object(JSON.parse(latin1FromBase64(payload)))
    return { exp: saneSeconds(exp), iat: saneSeconds(iat) }
  } catch {
    return {}
  }
}

function saneSeconds(value: unknown): number | undefined {
  const isSane = typeof value === 'number' && value >= 0 && value < latestSaneSeconds
  return isSane ? value : undefined
}
