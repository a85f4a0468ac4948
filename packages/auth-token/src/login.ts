import { AuthError, type AuthErrorCode, type AuthErrorOptions } from '@svc/auth-hooks'
import type { LoginRequest } from '@svc/types'
import { hideUnparsed } from './hide-unparsed.ts'
import { readLimited } from './read-limited.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Grant } from './token.ts'
import type { TokenAuthSettings } from './options.ts'
import { tokenLifetimeMs } from './token-lifetime.ts'
import type { HeldCredentials } from './credentials.ts'

const maxAnswerBytes = 1024 * 1024

/**
 * Sends one login and checks its answer.
 *
 * @throws AuthError with one of the codes `ERR_AUTH_LOGIN_…`
 * @see Interface of the service, section 4.1
 */
export async function requestLogin(
  settings: Pick<
    TokenAuthSettings,
    'clock' | 'fetch' | 'loginUrl' | 'routeHeader' | 'uniqueSession'
  >,
  credentials: HeldCredentials,
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
    if (response.ok) text = await readLimited(response, maxAnswerBytes, signal)
    else response.body?.cancel().catch(() => {})
  } catch (cause) {
    throw fail('ERR_AUTH_LOGIN_NETWORK', 'returned no complete response', {
      cause: hideUnparsed(cause),
    })
  }

  const { headers, status } = response
  const now = clock()
  const date = Date.parse(headers.get('date') ?? '')
  const serverTimeMs = Number.isNaN(date) ? undefined : date
  // A browser hides the status of a redirect that it was told not to follow.
  if (response.type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status)) {
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

/** The error of a login that was answered, and not with a success. */
export function loginRefused(loginUrl: URL, status: number, retryAt?: number): AuthError {
  const what = `was answered with status ${status}`
  return loginError(loginUrl, 'ERR_AUTH_LOGIN_REFUSED', what, { status, retryAt })
}

/** An error of the login, which says where it went and nothing that was in it. */
export function loginError(
  { origin, pathname }: URL,
  code: AuthErrorCode,
  what: string,
  options?: AuthErrorOptions,
): AuthError {
  return new AuthError(code, `[@svc/auth-token] POST ${origin}${pathname} ${what}`, options)
}

function readToken(text: string, fail: (code: AuthErrorCode, what: string) => AuthError): string {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    // The parser's own error quotes the text, and with it perhaps a token.
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) {
    throw fail('ERR_AUTH_LOGIN_NOT_JSON', 'returned no JSON object')
  }
  const token = 'Token' in answer ? answer.Token : undefined
  if (token === undefined || token === null) {
    throw fail('ERR_AUTH_LOGIN_NO_TOKEN', 'returned no Token')
  }
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token)) {
    throw fail('ERR_AUTH_LOGIN_BAD_TOKEN', 'returned a Token that cannot be sent in a header')
  }
  return token
}
