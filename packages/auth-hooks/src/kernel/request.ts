import type { AuthScheme, OutgoingBody, OutgoingRequest, ResponseHead } from '@svc/types'
import { assertNotAborted } from '../kit/async.ts'
import { check, isHttpToken, normalizeMethod } from '../kit/checks.ts'
import { headerError, hooksError, urlError } from '../kit/errors.ts'
import { hasDotSegment } from '../kit/paths.ts'
import { documentBaseUrl, parseBaseUrl, uncovered } from '../kit/urls.ts'
import type { OutgoingHeaders } from './headers.ts'

/** A request as an adapter read it, once, from what its client was given. */
export interface ExchangeRequest {
  readonly method: string
  readonly url: URL
  readonly headers: OutgoingHeaders
  readonly body: OutgoingBody | undefined
  readonly signal: AbortSignal | undefined
  /** The caller's redirect mode: `manual` and `error` win over the options. */
  readonly redirect: 'follow' | 'error' | 'manual'
}

/** Returns the method of a request and its URL without a query, for messages. */
export function requestLine({ method, url }: Pick<ExchangeRequest, 'method' | 'url'>): string {
  return `${method} ${withoutQuery(url)}`
}

export function withoutQuery({ origin, pathname }: URL): string {
  return origin + pathname
}

export interface Attempt {
  readonly attempt: number
  readonly reason: OutgoingRequest['reason']
  /** The head of the response to the attempt before. */
  readonly previous?: ResponseHead | undefined
}

/** The parts of a request that a scheme sees. */
export type SchemeRequest = Pick<ExchangeRequest, 'method' | 'url' | 'body' | 'signal'> &
  Pick<OutgoingRequest, 'headers'>

export function toOutgoingRequest(
  { method, url, headers, body, signal }: SchemeRequest,
  { attempt, reason, previous }: Attempt,
): OutgoingRequest {
  const outgoing = { method, url, headers, body, attempt, reason }
  if (!signal && !previous) return outgoing
  return { ...outgoing, ...(signal && { signal }), ...(previous && { previous }) }
}

/** Reads the base of relative inputs, with a slash at its end. Throws a `TypeError` that names `baseUrl`. */
export function readInputBase(baseUrl: string | URL, caller: string): URL {
  return new URL(parseBaseUrl(baseUrl, caller).href.replace(/\/*$/, '/'))
}

// As the URL parser reads them: without white space at the start, or line breaks anywhere.
const urlScheme = /^[\0- ]*[a-z][a-z\d+.\t\n\r-]*:/i
const leadingSlashes = /^[\0- ]*[/\\\t\n\r]*/

/** Reads an absolute http(s) URL without a user name. `remedy` says in the message how to give relative ones. */
export function readRequestUrl(
  input: unknown,
  base?: URL,
  remedy = 'authFetch(auth, { baseUrl })',
): URL {
  if (!base) return readPlainUrl(input, documentBaseUrl(), remedy)
  if (typeof input !== 'string' || urlScheme.test(input)) {
    return readPlainUrl(input, undefined, remedy)
  }
  // Joined as text: resolved as a URL, `//user` would name a host.
  const url = readPlainUrl(base.href + input.replace(leadingSlashes, ''), undefined, remedy)
  // As any server may see it: an encoded slash, for one, hides dot segments from the URL parser.
  const isBelow = url.pathname.startsWith(base.pathname) && !hasDotSegment(url.pathname)
  if (base.pathname !== '/' && !isBelow) {
    throw urlError(`${withoutQuery(url)} is not below baseUrl, ${base.href}; nothing was sent`)
  }
  return url
}

/** Reads an http(s) URL without a user name. */
export function readPlainUrl(input: unknown, from: string | undefined, remedy: string): URL {
  let url: URL
  try {
    // Any object is what its `toString` says.
    url = new URL(String(input), from)
  } catch {
    throw urlError(
      "the request URL must be valid and absolute, such as new URL('/user/groups', baseUrl); " +
        `${remedy} takes relative ones`,
    )
  }
  if (!/^https?:$/.test(url.protocol)) {
    throw urlError(`the request URL must be http or https, not ${url.protocol}`)
  }
  if (url.username || url.password) {
    throw urlError(`the URL for ${url.host} has a user name or a password`)
  }
  return url
}

/** Tells if the scheme's credentials may travel to this URL. A promise is an error: it would always be true. */
export function covers(scheme: AuthScheme, url: URL, from?: URL): boolean {
  const verdict: unknown = scheme.covers(url, from)
  if (typeof verdict === 'boolean') return verdict
  throw hooksError(
    'ERR_AUTH_SCHEME',
    `covers of the scheme ${scheme.name} must return true or false; nothing was sent`,
  )
}

/**
 * Throws unless a request may leave with the credentials of a scheme. In the mode `no-cors`, a browser drops its headers
 * without a word, and `fetch` would hold an integrity against a refusal or a redirect that is not the last response.
 */
export function assertSendable(
  scheme: AuthScheme,
  url: URL,
  mode?: unknown,
  integrity?: unknown,
): void {
  if (!covers(scheme, url)) {
    throw hooksError(
      'ERR_AUTH_ORIGIN',
      `${withoutQuery(url)} ${uncovered(scheme, url)}; nothing was sent`,
    )
  }
  if (mode === 'no-cors') {
    throw headerError(
      `${withoutQuery(url)}: mode 'no-cors' would drop the credential; nothing was sent`,
    )
  }
  if (!integrity) return
  throw hooksError(
    'ERR_AUTH_REQUEST',
    `${withoutQuery(url)}: integrity cannot be checked here; nothing was sent. Leave it out`,
  )
}

/** The fields of an `init` of `fetch` that are neither its headers nor its body, as they were given. */
type FetchFields = {
  readonly [Name in 'method' | 'signal' | 'redirect' | 'mode' | 'integrity']?:
    | RequestInit[Name]
    | undefined
}

/**
 * Checks the fields of an `init` that are neither its headers nor its body, and returns those that an exchange needs.
 *
 * @throws the reason of a signal that is aborted.
 */
export function readFetchFields(
  caller: string,
  scheme: AuthScheme,
  url: URL,
  { method = 'GET', signal: given, redirect = 'follow', mode, integrity }: FetchFields,
): Pick<ExchangeRequest, 'method' | 'signal' | 'redirect'> {
  const signal = given ?? undefined
  const isSignal = !signal || typeof signal.addEventListener === 'function'
  check(isSignal, caller, 'signal must be an AbortSignal')
  assertNotAborted(signal)
  assertSendable(scheme, url, mode, integrity)
  check(isHttpToken(method), caller, 'method must be an HTTP method')
  const isMode = redirect === 'follow' || redirect === 'error' || redirect === 'manual'
  check(isMode, caller, "redirect must be 'follow', 'error' or 'manual'")
  return {
    // Most requests are GETs.
    method: method === 'GET' ? method : normalizeMethod(method),
    signal,
    redirect,
  }
}
