import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import { isRedirectStatus } from '@svc/auth-hooks/scheme'
import type { LoginRequest, ReadonlyHeaders } from '@svc/types'
import { longestPauseMs } from './back-off.ts'
import type { LoginCredentials } from './credentials.ts'
import type { SessionSettings } from './options.ts'
import type { Grant, Lifetime } from './token.ts'

const maxResponseBytes = 1024 * 1024

/** Lifetime of a token that does not tell its own, by section 5.1 of the interface. */
const defaultLifetimeMs = 24 * 60 * 60 * 1000
const longestLifetimeMs = 10 * 365 * defaultLifetimeMs
/** The lifetime of a token that seems to have expired on arrival: a login for each request would be worse. */
const shortestLifetimeMs = 60_000
/** The latest instant in seconds (in the year 5138); a later one is in milliseconds by mistake. */
const latestSaneSeconds = 1e11

/**
 * Sends one login and checks its response.
 *
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`
 * @see Interface of the service, section 4.1
 */
export async function requestLogin(
  settings: Pick<SessionSettings, 'clock' | 'fetch' | 'loginUrl' | 'routeHeader' | 'uniqueSession'>,
  credentials: LoginCredentials,
  signal: AbortSignal,
): Promise<Grant> {
  const { loginUrl, clock } = settings
  const fail = (code: AuthErrorCode, what: string, options?: AuthErrorOptions): AuthError =>
    loginError(loginUrl, code, what, options)

  const { username, password, parentUid } = credentials
  const body: LoginRequest = {
    Username: username,
    Password: password.reveal(),
    ...(parentUid !== undefined && { ParentUid: parentUid }),
    UniqueSession: settings.uniqueSession,
  }
  let response: Response
  let text: string | undefined
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
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    if (response.ok) text = await readTextUpTo(response, maxResponseBytes, signal)
    else response.body?.cancel().catch(() => {})
  } catch (cause) {
    throw fail('ERR_AUTH_LOGIN_NETWORK', 'returned no complete response', {
      cause: redactParserError(cause),
    })
  }

  const { headers, status } = response
  const now = clock()
  const date = Date.parse(headers.get('date') ?? '')
  const serverTimeMs = Number.isNaN(date) ? undefined : date
  const waitMs = response.ok ? undefined : retryAfterMs(headers, serverTimeMs ?? now)
  const retryAt = waitMs === undefined ? undefined : now + waitMs
  // A browser hides the status of a redirect that it was told not to follow.
  if (response.type === 'opaqueredirect' || isRedirectStatus(status)) {
    // No more than the origin is told: the rest may be secret.
    const target = headers.get('location') ?? ''
    const to = URL.canParse(target) ? ` to ${new URL(target).origin}` : ''
    throw fail('ERR_AUTH_LOGIN_REDIRECT', `was redirected${to}; not followed`, {
      status: status || undefined,
      retryAt,
    })
  }
  if (!response.ok) throw loginRefused(loginUrl, 'ERR_AUTH_LOGIN_REFUSED', status, retryAt)
  if (text === undefined) {
    throw fail('ERR_AUTH_LOGIN_TOO_LARGE', 'returned more than 1 MiB', { status })
  }
  const value = readToken(text, (code, what) => fail(code, what, { status }))
  return { value, ...tokenLifetime(value, serverTimeMs) }
}

/** Returns the error of a login whose response has no token. */
export function loginRefused(
  loginUrl: URL,
  code: AuthErrorCode,
  status: number,
  retryAt: number | undefined,
): AuthError {
  return loginError(loginUrl, code, `returned status ${status}`, { status, retryAt })
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

/** Returns the error of a login that took too long. */
export function loginTimeout(loginUrl: URL, ms: number): AuthError {
  return loginError(loginUrl, 'ERR_AUTH_LOGIN_TIMEOUT', `got no response within ${ms} ms`)
}

/**
 * Reads a response as UTF-8, or returns `undefined` and stops where it is larger than the limit. An
 * abort stops it too, whether or not the `fetch` that it came from heeds the signal.
 */
async function readTextUpTo(
  response: Response,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  signal.addEventListener('abort', () => reader.cancel(signal.reason).catch(() => {}), {
    once: true,
  })
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength
    if (size > limitBytes) {
      // Not awaited: a server that is still sending need not be waited for.
      reader.cancel().catch(() => {})
      return undefined
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}

/**
 * Removes from an error of Node's `fetch` the bytes that its parser did not understand: the rest of the
 * response, and with it perhaps a token. Searches all that led to the error.
 *
 * @see https://undici.nodejs.org/#/docs/api/Errors
 */
function redactParserError(error: unknown): unknown {
  const links = new Set([error])
  // A set visits what is added on the way, too.
  for (const link of links) {
    if (!(link instanceof Error)) continue
    if (link.name === 'HTTPParserError') Reflect.deleteProperty(link, 'data')
    links.add(link.cause)
    if (link instanceof AggregateError) for (const one of link.errors) links.add(one)
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
    .map((text) => text.trim())
    .map((text) =>
      /^\d+(?:\.\d*)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - serverTimeMs,
    )
    .filter((waitMs) => !Number.isNaN(waitMs))
  return waits.length === 0 ? undefined : Math.min(Math.max(0, ...waits), longestPauseMs)
}

function readToken(text: string, fail: (code: AuthErrorCode, what: string) => AuthError): string {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // The parser's own error quotes the text, and with it perhaps a token.
    throw fail('ERR_AUTH_LOGIN_NOT_JSON', 'returned no JSON')
  }
  const token =
    typeof content === 'object' && content !== null && 'Token' in content
      ? content.Token
      : undefined
  if (token === undefined || token === null) {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned no Token')
  }
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a Token that cannot be sent in a header')
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
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof claims !== 'object' || claims === null) return {}
    return {
      exp: 'exp' in claims ? saneSeconds(claims.exp) : undefined,
      iat: 'iat' in claims ? saneSeconds(claims.iat) : undefined,
    }
  } catch {
    return {}
  }
}

function saneSeconds(value: unknown): number | undefined {
  const isSane = typeof value === 'number' && value >= 0 && value < latestSaneSeconds
  return isSane ? value : undefined
}
