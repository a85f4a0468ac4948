import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import { abortable, isRedirectStatus } from '@svc/auth-hooks/scheme'
import type { LoginRequest, ReadonlyHeaders } from '@svc/types'
import { longestPauseMs } from './back-off.ts'
import { fromBase64 } from './base64.ts'
import type { LoginCredentials } from './credentials.ts'
import { startDeadline } from './deadline.ts'
import { causesOf, describeNetworkError } from './network-error.ts'
import type { SessionSettings } from './options.ts'
import { readServerMessage } from './server-message.ts'
import type { Grant, Lifetime } from './token.ts'

const maxResponseBytes = 1024 * 1024
/** The most that is read of a failed login's response, for the message in it. */
const maxMessageBytes = 16 * 1024
const maxMessageMs = 2000

/** Lifetime of a token that does not tell its own, by section 5.1 of the interface. */
const defaultLifetimeMs = 24 * 60 * 60 * 1000
const longestLifetimeMs = 10 * 365 * defaultLifetimeMs
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
 * Sends one login and checks its response.
 *
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`
 * @see Interface of the service, section 4.1
 */
export async function requestLogin(
  settings: Pick<
    SessionSettings,
    'clock' | 'fetch' | 'loginTimeoutMs' | 'loginUrl' | 'routeHeader' | 'uniqueSession'
  >,
  credentials: LoginCredentials,
  progress: LoginProgress,
  signal: AbortSignal,
): Promise<Grant> {
  const { loginUrl, clock } = settings
  const fail = (code: AuthErrorCode, what: string, options?: AuthErrorOptions): AuthError =>
    loginError(loginUrl, code, what, options)

  const { username, parentUid } = credentials
  const password = credentials.password.reveal()
  const request: LoginRequest = {
    Username: username,
    Password: password,
    ...(parentUid !== undefined && { ParentUid: parentUid }),
    UniqueSession: settings.uniqueSession,
  }
  let response: Response
  const body: ResponseText = { text: '', isWhole: false }
  try {
    // Called unbound: with a `this` it is an illegal invocation in browsers.
    const send = settings.fetch ?? globalThis.fetch
    response = await send(loginUrl.href, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        [settings.routeHeader]: 'login',
      },
      body: JSON.stringify(request),
      redirect: 'manual',
      signal,
    })
    if (response.ok) await readText(body, response, maxResponseBytes, signal)
  } catch (cause) {
    const what = describeNetworkError(cause, loginUrl)
    throw fail('ERR_AUTH_LOGIN_NETWORK', what, { cause: redactParserError(cause) })
  }

  const { headers, status } = response
  const now = clock()
  const date = Date.parse(headers.get('date') ?? '')
  const serverTimeMs = Number.isNaN(date) ? undefined : date
  const waitMs = response.ok ? undefined : retryAfterMs(headers, serverTimeMs ?? now)
  const retryAt = waitMs === undefined ? undefined : now + waitMs
  // A browser hides the status of a redirect that it was told not to follow.
  if (response.type === 'opaqueredirect' || isRedirectStatus(status)) {
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
      loginRefused(loginUrl, 'ERR_AUTH_LOGIN_REFUSED', { status, retryAt, serverMessage })
    progress.failure = refuse()
    const maxMs = Math.min(maxMessageMs, settings.loginTimeoutMs / 4)
    const { text, isWhole } = await readErrorText(response, maxMs, signal)
    throw refuse(readServerMessage(text, isWhole ? 'whole' : 'cut', [password]))
  }
  if (!body.isWhole) {
    throw fail('ERR_AUTH_LOGIN_TOO_LARGE', 'returned more than 1 MiB', { status })
  }
  const { text } = body
  const value = readToken(text, (code, what, ...received) => {
    const secrets = [password, ...received]
    const serverMessage = readServerMessage(text.slice(0, maxMessageBytes), 'none', secrets)
    return fail(code, what, { status, serverMessage })
  })
  return { value, ...tokenLifetime(value, serverTimeMs) }
}

/** Returns the error of a login whose response has no token. */
export function loginRefused(
  loginUrl: URL,
  code: AuthErrorCode,
  options: AuthErrorOptions & { readonly status: number },
): AuthError {
  const reason = options.serverMessage === undefined ? '' : ' and a reason (serverMessage)'
  return loginError(loginUrl, code, `returned status ${options.status}${reason}`, options)
}

/** Returns the error of a login that is not over in time: what the service said so far, or who is late. */
export function loginTimeout(
  { loginUrl, loginTimeoutMs }: Pick<SessionSettings, 'loginTimeoutMs' | 'loginUrl'>,
  { waitsFor, failure }: LoginProgress,
): AuthError {
  const limit = `within ${loginTimeoutMs} ms (loginTimeoutMs)`
  const what = waitsFor === 'service' ? 'got no response' : 'was not sent'
  const who =
    waitsFor === 'credentials'
      ? 'credentials function did not return'
      : `${waitsFor} did not respond`
  return failure ?? loginError(loginUrl, 'ERR_AUTH_LOGIN_TIMEOUT', `${what} ${limit}: the ${who}`)
}

/** Returns an error of the login, which says where it went and nothing that was in it. */
export function loginError(
  { origin, pathname }: URL,
  code: AuthErrorCode,
  what: string,
  options?: AuthErrorOptions,
): AuthError {
  return new AuthError(code, `[@svc/auth-token] POST ${origin}${pathname} ${what}`, options)
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
  signal: AbortSignal,
): Promise<ResponseText> {
  const into: ResponseText = { text: '', isWhole: false }
  const end = new AbortController()
  const stop = (): void => end.abort()
  const endDeadline = startDeadline(maxMs, stop)
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

function readToken(
  text: string,
  fail: (code: AuthErrorCode, what: string, ...received: readonly string[]) => AuthError,
): string {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // The parser's own error quotes the text, and with it perhaps a token.
    throw fail('ERR_AUTH_LOGIN_NOT_JSON', 'returned no JSON')
  }
  const token: unknown = Object(content).Token
  if (token === undefined || token === null) {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned no Token')
  }
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) {
    const received = typeof token === 'string' ? token : JSON.stringify(token)
    const what = 'returned a Token that cannot be sent in a header'
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', what, received)
  }
  return token
}

/**
 * Returns the lifetime of a token from its receipt, so that the local clock does not matter: the lesser
 * of `exp − iat` and of `exp` against the server's time, as far as they are known; else 24 hours.
 *
 * The server's time may be that of a front, and wrong. So it is doubted where it leaves less than half of
 * `exp − iat`, or a token that has nearly expired on arrival.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4
 */
export function tokenLifetime(token: string, serverTimeMs: number | undefined): Lifetime {
  const { exp, iat } = readClaims(token)
  const wholeMs =
    exp !== undefined && iat !== undefined && exp > iat ? (exp - iat) * 1000 : undefined
  const leftMs =
    exp === undefined || serverTimeMs === undefined ? undefined : exp * 1000 - serverTimeMs
  const bounded = (ms: number): number =>
    Math.min(Math.max(ms, shortestLifetimeMs), longestLifetimeMs)
  const lifetimeMs = bounded(Math.min(wholeMs ?? leftMs ?? defaultLifetimeMs, leftMs ?? Infinity))
  if (leftMs === undefined) return { lifetimeMs }
  const isDoubted = leftMs < (wholeMs === undefined ? shortestLifetimeMs : wholeMs / 2)
  if (!isDoubted) return { lifetimeMs }
  return { lifetimeMs, doubtedMs: leftMs, triedMs: bounded(wholeMs ?? defaultLifetimeMs) }
}

function readClaims(token: string): { exp?: number | undefined; iat?: number | undefined } {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1]
  if (payload === undefined) return {}
  try {
    const { exp, iat } = Object(JSON.parse(new TextDecoder().decode(fromBase64(payload))))
    return { exp: saneSeconds(exp), iat: saneSeconds(iat) }
  } catch {
    return {}
  }
}

function saneSeconds(value: unknown): number | undefined {
  const isSane = typeof value === 'number' && value >= 0 && value < latestSaneSeconds
  return isSane ? value : undefined
}
