import type { AuthError } from '@svc/auth-hooks'
import {
  isLoopback,
  isRedirectStatus,
  redirectedOrigin,
  retryAfterMs,
} from '@svc/auth-hooks/scheme'
import type { Fetch } from '@svc/types'
import { inTime } from '../timers.ts'
import { longestPauseMs } from '../session/back-off.ts'
import type { SessionSettings } from '../session/session-options.ts'
import type { BeforeSending } from '../token.ts'
import { loginError, refusal } from './login-errors.ts'
import { causesOf, describeNetworkError } from './network-error.ts'
import { contains, maxMessageBytes, readServerMessage } from './server-message.ts'

const maxResponseBytes = 1024 * 1024
const maxMessageMs = 2000

/** The last response to a login, as far as there was one. */
export interface LastResponse {
  text: string
  /** The failure that it is, if its status is none of success. */
  failure?: AuthError | undefined
  serverTimeMs?: number | undefined
  status?: number
  /** Its `content-type`. */
  type?: string | null
}

export interface LoginFetchSettings extends Pick<
  SessionSettings,
  | ('allowInsecureHttp' | 'clock' | 'fetch' | 'loginTimeoutMs' | 'timers')
  | ('title' | 'trustRedirects')
> {
  /** Returns the texts that must not stand in a message. */
  readonly secrets: () => readonly string[]
  /** Called before everything but a look at metadata. */
  readonly beforeSending: BeforeSending | undefined
}

/** Returns the `fetch` of a login, which takes note of the last response. */
export function loginFetch(
  settings: LoginFetchSettings,
  last: LastResponse,
  signal: AbortSignal,
): Fetch {
  const { allowInsecureHttp, clock, timers, loginTimeoutMs, trustRedirects } = settings
  const { secrets, beforeSending } = settings
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.protocol !== 'https:' && !isLoopback(url) && !allowInsecureHttp) {
      throw loginError(settings.title, 'ERR_AUTH_URL', `was not sent: ${url.origin} is not https`)
    }
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
    const isTold = !secrets().some((secret) => contains(url.pathname, secret))
    const title = isTold ? `${method} ${url.origin}${url.pathname}` : settings.title
    // A page that is offline cannot tell afterwards that nothing was sent.
    if (Object(globalThis).navigator?.onLine === false)
      throw loginError(title, 'ERR_AUTH_LOGIN_NETWORK', 'was not sent: the browser is offline')
    const ended = method === 'POST' ? await beforeSending?.() : undefined
    let response: Response
    let text: string | undefined
    last.failure = undefined
    try {
      // Called unbound: with a `this` it is an illegal invocation in browsers.
      const send = settings.fetch ?? globalThis.fetch
      response = await send(input, { ...init, redirect: 'manual', signal: init?.signal ?? signal })
      if (response.ok) text = await readText(response, maxResponseBytes, signal)
    } catch (cause) {
      ended?.(cause)
      const what = describeNetworkError(cause, url)
      throw loginError(title, 'ERR_AUTH_LOGIN_NETWORK', what, { cause: redactParserError(cause) })
    }

    const { headers, status, type } = response
    // A browser hides the status of a redirect that it was told not to follow.
    const isRedirect = type === 'opaqueredirect' || isRedirectStatus(status)
    if (isRedirect || (status >= 400 && status < 500 && status !== 408)) ended?.()
    const now = clock()
    const date = Date.parse(headers.get('date') ?? '')
    last.serverTimeMs = Number.isNaN(date) ? undefined : date
    last.status = status
    last.type = headers.get('content-type')
    const waitMs = response.ok ? undefined : retryAfterMs(headers, last.serverTimeMs ?? now)
    const retryAt = waitMs === undefined ? undefined : now + Math.min(waitMs, longestPauseMs)
    const followedTo = trustRedirects ? undefined : redirectedOrigin(response, url)
    if (followedTo !== undefined || isRedirect) {
      // Nor is its text read, which often names the target.
      response.body?.cancel?.().catch(() => {})
      const target = headers.get('location') ?? ''
      // No more than the origin is told: the rest may be secret.
      const to = followedTo ?? (URL.canParse(target) ? new URL(target).origin : '')
      const where = to && ` to ${to}`
      const how = followedTo === undefined ? '; not followed' : ' by a fetch that follows redirects'
      const options = { status: status || undefined, retryAt }
      throw loginError(title, 'ERR_AUTH_LOGIN_REDIRECT', `was redirected${where}${how}`, options)
    }
    if (!response.ok) {
      const refuse = (serverMessage?: string): AuthError =>
        refusal(title, 'ERR_AUTH_LOGIN_REFUSED', { status, retryAt, serverMessage })
      last.failure = refuse()
      const maxMs = Math.min(maxMessageMs, loginTimeoutMs / 4)
      const late = (): undefined => undefined
      const read = async (end: AbortSignal) => readText(response, maxMessageBytes, end)
      // A body that breaks off, is late or too large changes nothing about the failure.
      text = await inTime(timers, maxMs, late, signal, read).catch(late)
      last.failure = refuse(readServerMessage(text ?? '', secrets()))
    } else if (text === undefined) {
      throw loginError(title, 'ERR_AUTH_LOGIN_TOO_LARGE', 'returned more than 1 MiB', { status })
    }
    last.text = text ?? ''
    const isNull = status === 204 || status === 205 || status === 304
    return new Response(isNull ? null : last.text, { status, headers })
  }
}

/**
 * Reads a response as UTF-8. Resolves to `undefined` for one that is larger than the limit. An abort stops it
 * too, whether or not the `fetch` that it came from heeds the signal.
 */
async function readText(
  response: Response,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { body } = response
  const onAbort = (stop: () => void): void => signal.addEventListener('abort', stop, { once: true })
  if (typeof body?.getReader !== 'function') {
    // React Native has no streams, and a package for Node has those of Node.
    onAbort(() => Object(body).destroy?.())
    const whole = await response.text()
    return whole.length <= limitBytes ? whole : undefined
  }
  const reader = body.getReader()
  // Not awaited: a server that is still sending need not be waited for.
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {})
  onAbort(cancel)
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true })
    // Endless chunks of nothing would let no timer fire.
    size += next.value.byteLength || 1
    if (size > limitBytes) {
      cancel()
      return undefined
    }
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
  for (const { link, name } of causesOf(error)) {
    if (name === 'HTTPParserError') Reflect.deleteProperty(link, 'data')
  }
  return error
}
