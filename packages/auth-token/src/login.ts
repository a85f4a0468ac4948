import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import { isRedirectStatus } from '@svc/auth-hooks/scheme'
import type { LoginRequest, ReadonlyHeaders } from '@svc/types'
import { longestPauseMs } from './back-off.ts'
import type { LoginCredentials } from './credentials.ts'
import type { TokenAuthSettings } from './options.ts'
import type { Grant } from './token.ts'

const maxResponseBytes = 1024 * 1024

/** Lifetime of a token that does not tell its own, by section 5.1 of the interface. */
const defaultLifetimeMs = 24 * 60 * 60 * 1000
const longestLifetimeMs = 10 * 365 * defaultLifetimeMs
/** The lifetime of a token that seems to have expired on arrival: a login for each request would be worse. */
const shortestLifetimeMs = 30_000
/** The latest instant in seconds (in the year 5138); a later one is in milliseconds by mistake. */
const latestSaneSeconds = 1e11

/**
 * Sends one login and checks its response.
 *
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`
 * @see Interface of the service, section 4.1
 */
export async function requestLogin(
  settings: Pick<
    TokenAuthSettings,
    'clock' | 'fetch' | 'loginUrl' | 'routeHeader' | 'uniqueSession'
  >,
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
  // A browser hides the status of a redirect that it was told not to follow.
  if (response.type === 'opaqueredirect' || isRedirectStatus(status)) {
    // No more than the origin is told: the rest may be secret.
    const target = headers.get('location') ?? ''
    const to = URL.canParse(target) ? ` to ${new URL(target).origin}` : ''
    throw fail('ERR_AUTH_LOGIN_REDIRECT', `was redirected${to}; not followed`, {
      status: status || undefined,
    })
  }
  if (!response.ok) {
    const waitMs =
      status === 429 || status === 503 ? retryAfterMs(headers, serverTimeMs ?? now) : undefined
    throw loginRefused(loginUrl, status, waitMs === undefined ? undefined : now + waitMs)
  }
  if (text === undefined) {
    throw fail('ERR_AUTH_LOGIN_TOO_LARGE', 'returned more than 1 MiB', { status })
  }
  const value = readToken(text, (code, what) => fail(code, what, { status }))
  return { value, lifetimeMs: tokenLifetimeMs(value, serverTimeMs) }
}

/** Returns the error of a login whose response is no success. */
export function loginRefused(loginUrl: URL, status: number, retryAt?: number): AuthError {
  const what = `returned status ${status}`
  return loginError(loginUrl, 'ERR_AUTH_LOGIN_REFUSED', what, { status, retryAt })
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
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - serverTimeMs
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), longestPauseMs)
}

function readToken(text: string, fail: (code: AuthErrorCode, what: string) => AuthError): string {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    // The parser's own error quotes the text, and with it perhaps a token.
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw fail('ERR_AUTH_LOGIN_NOT_JSON', 'returned no JSON object')
  }
  const token = 'Token' in content ? content.Token : undefined
  if (token === undefined || token === null) {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned no Token')
  }
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a Token that cannot be sent in a header')
  }
  return token
}

/**
 * Returns the lifetime of a token from its receipt, in milliseconds: `exp − iat`, so that nobody's clock
 * matters; else `exp` against the server's time, if that is known; else 24 hours.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4
 */
export function tokenLifetimeMs(token: string, serverTimeMs: number | undefined): number {
  const { exp, iat } = readClaims(token)
  const issuedAt = iat !== undefined && exp !== undefined && exp > iat ? iat * 1000 : serverTimeMs
  if (exp === undefined || issuedAt === undefined) return defaultLifetimeMs
  const lifetimeMs = exp * 1000 - issuedAt
  return lifetimeMs < 1000 ? shortestLifetimeMs : Math.min(lifetimeMs, longestLifetimeMs)
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
