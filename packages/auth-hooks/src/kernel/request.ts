import type { AuthScheme, OutgoingBody, OutgoingRequest, ResponseHead } from '@svc/types'
import { abortable, assertNotAborted, type MaybePromise } from '../kit/async.ts'
import { check, isHttpToken, isRequest, normalizeMethod } from '../kit/checks.ts'
import { AuthError } from '../kit/errors.ts'
import { documentBaseUrl, hasDotSegment, parseBaseUrl, uncovered } from '../kit/urls.ts'
import {
  announcedBody,
  countedBody,
  type BodySource,
  readRequestBody,
  serializeBody,
  type SerializedBody,
} from './body.ts'
import { contentLength, OutgoingHeaders, withContentType } from './headers.ts'

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

/** A request as the caller of `fetch` gave it, read once: nothing in it changes with the caller's objects. */
export interface FetchRequest extends ExchangeRequest {
  readonly body: SerializedBody | undefined
  /** The caller's `Request`, sent itself as long as its URL stays. */
  readonly originalRequest: Request | undefined
  /** `true` if the body of the original request is the one to send. */
  readonly sendsOriginalBody: boolean
  /** `true` if the caller gave a `Headers`, and an inner fetch may expect one. */
  readonly headersObject: boolean
  /** The type of a response after the redirects so far, as `fetch` has it; `undefined` if there was none. */
  readonly redirectedType?: 'basic' | 'cors'
  /** The rest of the caller's `init`. */
  readonly init: RequestInit
}

/** The way in which the arguments of `fetch` are read. */
export interface FetchReading {
  /** The package and the function, for messages. */
  readonly caller: string
  readonly scheme: AuthScheme
  /** @default {@link defaultMaxReplayBytes} */
  readonly maxReplayBytes?: number
  /** The base of relative inputs. */
  readonly base?: InputBase | undefined
}

/**
 * Reads the arguments of `fetch`. Only the body of a `Request` has to be waited for.
 *
 * @throws AuthError `ERR_AUTH_URL`, `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`, `ERR_AUTH_REQUEST`
 */
export function readFetchRequest(
  reading: FetchReading,
  input: string | URL | Request,
  init: RequestInit | undefined,
): MaybePromise<FetchRequest> {
  const { caller, scheme, maxReplayBytes = defaultMaxReplayBytes, base } = reading
  const originalRequest = isRequest(input) ? input : undefined
  const url = readRequestUrl(originalRequest ? originalRequest.url : input, { base })
  const signal = (init?.signal === undefined ? originalRequest?.signal : init.signal) ?? undefined
  const isSignal = !signal || typeof signal.addEventListener === 'function'
  check(isSignal, caller, 'signal must be an AbortSignal')
  // With the very reason, and before a body is touched.
  assertNotAborted(signal)
  assertCovered(scheme, url)
  assertNotNoCors(init?.mode ?? originalRequest?.mode, url)
  assertNoIntegrity(init?.integrity ?? originalRequest?.integrity, url)

  const source: BodySource | undefined = init?.body ?? undefined
  // A Request given as init has a body that can be read like that of any Request.
  const givenRequest = init && isRequest(init) ? init : undefined
  const holder = source === undefined ? originalRequest : givenRequest
  const own = source === undefined || holder ? undefined : serializeBody(source)
  const given = OutgoingHeaders.read(init?.headers ?? originalRequest?.headers)
  // Every runtime sends the host of the URL and frames the body by itself, whatever stands here.
  const isFramed = given.has('host') || given.has('transfer-encoding')
  const headers = isFramed
    ? given.with([
        ['host', null],
        ['transfer-encoding', null],
      ])
    : given
  const method = readMethod(caller, init?.method ?? originalRequest?.method)
  const redirect = init?.redirect ?? originalRequest?.redirect ?? 'follow'
  const isMode = redirect === 'follow' || redirect === 'error' || redirect === 'manual'
  check(isMode, caller, "redirect must be 'follow', 'error' or 'manual'")
  const request: FetchRequest = {
    method,
    url,
    headers,
    body: undefined,
    signal,
    redirect,
    originalRequest,
    sendsOriginalBody: false,
    headersObject: originalRequest !== undefined || init?.headers instanceof Headers,
    init: copyInit(init),
  }
  if (!holder) return withBody(request, own, false)
  check(!holder.bodyUsed, caller, 'the body of the Request has already been used; pass a clone')
  // That of a package is a stream of Node's, two copies of which would hold each other up.
  if (holder.body && !('getReader' in holder.body)) {
    throw new AuthError(
      'ERR_AUTH_BODY',
      `[@svc/auth-hooks] ${requestLine({ method, url })}: the body of this Request is no ReadableStream; call fetch with (url, init) instead`,
    )
  }
  // Nothing to wait for; a runtime that shows no body has `undefined` here.
  if (holder.body === null) return withBody(request, undefined, false)
  const sendsOriginalBody = holder === originalRequest
  return abortable(readRequestBody(holder, maxReplayBytes, signal), signal).then((body) =>
    withBody(request, body, sendsOriginalBody),
  )
}

/** Returns a request with its body, which is counted against the length that the caller announced. */
function withBody(
  request: FetchRequest,
  read: SerializedBody | undefined,
  sendsOriginalBody: boolean,
): FetchRequest {
  const announced = request.headers.get('content-length')
  const body = announced === null ? read : announcedBody(read, announced, requestLine(request))
  if (!body) return request
  return { ...request, headers: withContentType(request.headers, body), body, sendsOriginalBody }
}

function readMethod(caller: string, given: unknown = 'GET'): string {
  if (given === 'GET') return given
  check(isHttpToken(given), caller, 'method must be an HTTP method')
  return normalizeMethod(given)
}

/** Returns a clone of a `Request` whose body is to be read, so that the caller's stays usable. */
export function cloneRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): string | URL | Request {
  return isRequest(input) && !init?.body ? input.clone() : input
}

/** The default of `maxReplayBytes`. */
export const defaultMaxReplayBytes: number = 8 * 1024 * 1024

/** A body with the changes to headers that frame it. */
export interface FramedBody {
  readonly body: SerializedBody | undefined
  readonly headers: readonly (readonly [name: string, value: string | null])[]
}

/**
 * Frames a body in one way: by its length, which is counted where only the caller knows it, or in
 * chunks. Of a body with two frames, or with a length that is not its own, the rest would be the next
 * request on its connection.
 *
 * @param options - `line` is that of the request, for messages; `mayChunk` keeps a `transfer-encoding: chunked`.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6.3
 */
export function frameBody(
  given: SerializedBody | undefined,
  headers: OutgoingHeaders,
  { line, mayChunk }: { readonly line: string; readonly mayChunk: boolean },
): FramedBody {
  const encoding = headers.get('transfer-encoding')
  const announced = headers.get('content-length')
  const isChunked = mayChunk && encoding?.toLowerCase() === 'chunked'
  const body = given && countedBody(given, isChunked ? null : announced, line)
  const length = contentLength(isChunked || !body ? {} : body)
  return {
    body,
    headers: [
      ...(announced === length[1] ? [] : [length]),
      ...(encoding === null || isChunked ? [] : [['transfer-encoding', null] as const]),
    ],
  }
}

/** Returns the method of a request and its URL without a query, for messages. */
export function requestLine({ method, url }: Pick<ExchangeRequest, 'method' | 'url'>): string {
  return `${method} ${url.origin}${url.pathname}`
}

/** One attempt of a call, beside its request. */
export interface Attempt {
  readonly attempt: number
  readonly reason: OutgoingRequest['reason']
  /** The head of the response to the attempt before. */
  readonly previous?: ResponseHead | undefined
}

/** Returns the request as a scheme sees it. */
export function toOutgoingRequest(
  { method, url, headers, body, signal }: Omit<ExchangeRequest, 'redirect'>,
  { attempt, reason, previous }: Attempt,
): OutgoingRequest {
  const outgoing = { method, url, headers, body, attempt, reason }
  return signal || previous
    ? { ...outgoing, ...(signal && { signal }), ...(previous && { previous }) }
    : outgoing
}

/** The base of relative inputs. */
export interface InputBase {
  /** Its URL, with a slash at the end. */
  readonly href: string
  /** Tells if a URL of its origin is the base or below it. */
  readonly contains: (url: URL) => boolean
}

/**
 * Reads the base of relative inputs.
 *
 * @throws TypeError naming `baseUrl`
 */
export function readInputBase(baseUrl: string | URL, caller: string): InputBase {
  const base = new URL(parseBaseUrl(baseUrl, caller).href.replace(/\/*$/, '/'))
  return {
    href: base.href,
    // As any server may see it: an encoded slash, for one, hides dot segments from the URL parser.
    contains: ({ pathname }) =>
      base.pathname === '/' || (pathname.startsWith(base.pathname) && !hasDotSegment(pathname)),
  }
}

// As the URL parser reads them: without white space at the start, or line breaks anywhere.
const urlScheme = /^[\0- ]*[a-z][a-z\d+.\t\n\r-]*:/i
const leadingSlashes = /^[\0- ]*[/\\\t\n\r]*/

/** The circumstances in which a URL is read. */
interface ReadUrlOptions {
  readonly base?: InputBase | undefined
  readonly remedy?: string
}

/**
 * Reads the URL of a request.
 *
 * @param options - `base` is that of a text without a scheme; `remedy` stands in the message where there is none.
 * @throws AuthError `ERR_AUTH_URL` unless it is an absolute http(s) URL without a user name.
 */
export function readRequestUrl(
  input: unknown,
  { base, remedy = 'authFetch(auth, { baseUrl })' }: ReadUrlOptions = {},
): URL {
  const isRelative = base !== undefined && typeof input === 'string' && !urlScheme.test(input)
  let url: URL
  try {
    url = isRelative
      ? // Joined as text: resolved as a URL, `//user` would name a host.
        new URL(base.href + input.replace(leadingSlashes, ''))
      : // Any object is what its `toString` says.
        new URL(String(input), base ? undefined : documentBaseUrl())
  } catch {
    throw new AuthError(
      'ERR_AUTH_URL',
      "[@svc/auth-hooks] the request URL must be valid and absolute, such as new URL('/user/groups', baseUrl); " +
        `${remedy} takes relative ones`,
    )
  }
  if (isRelative && !base.contains(url)) {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-hooks] ${url.origin}${url.pathname} is not below baseUrl, ${base.href}; nothing was sent`,
    )
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-hooks] the request URL must be http or https, not ${url.protocol}`,
    )
  }
  if (url.username || url.password) {
    throw new AuthError(
      'ERR_AUTH_URL',
      `[@svc/auth-hooks] the URL for ${url.host} has a user name or a password`,
    )
  }
  return url
}

/**
 * Tells if the scheme's credentials may travel to this URL.
 *
 * @throws AuthError `ERR_AUTH_SCHEME` if the scheme does not say so: a promise, for one, is always true.
 */
export function covers(scheme: AuthScheme, url: URL): boolean {
  const verdict: unknown = scheme.covers(url)
  if (typeof verdict === 'boolean') return verdict
  throw new AuthError(
    'ERR_AUTH_SCHEME',
    `[@svc/auth-hooks] covers of the scheme ${scheme.name} must return true or false; nothing was sent`,
  )
}

/** Throws if the scheme's credentials must not travel to this URL. */
export function assertCovered(scheme: AuthScheme, url: URL): void {
  if (covers(scheme, url)) return
  throw new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-hooks] ${url.origin}${url.pathname} ${uncovered(scheme, url)}; nothing was sent`,
  )
}

/**
 * Throws if the mode is `no-cors`, in which a browser drops the headers of a scheme and says nothing
 * of it.
 */
export function assertNotNoCors(mode: unknown, url: URL): void {
  if (mode !== 'no-cors') return
  const { origin, pathname } = url
  throw new AuthError(
    'ERR_AUTH_HEADER',
    `[@svc/auth-hooks] ${origin}${pathname}: mode 'no-cors' would drop the credential; nothing was sent`,
  )
}

/** Throws if `fetch` would hold an integrity against a refusal or a redirect that is not the last response. */
function assertNoIntegrity(integrity: unknown, { origin, pathname }: URL): void {
  if (!integrity) return
  throw new AuthError(
    'ERR_AUTH_REQUEST',
    `[@svc/auth-hooks] ${origin}${pathname}: integrity cannot be checked here; nothing was sent. Leave it out, and ` +
      'compare the digest of the body that arrives',
  )
}

const noInit: RequestInit = /* @__PURE__ */ Object.freeze({})

/**
 * Copies an `init`: its own fields, known or not (`dispatcher`, `cf`), and those that stand on a
 * prototype, as when a `Request` is given as `init`.
 */
function copyInit(init: RequestInit | undefined): RequestInit {
  if (!init) return noInit
  const prototype: unknown = Object.getPrototypeOf(init)
  if (prototype === Object.prototype || prototype === null) return { ...init }
  return { ...requestInitOf(init), ...init }
}

/**
 * Fields of a `Request`, or an `init`, beyond method, headers, body, signal and redirect, with the
 * defaults: such a value is left out, since workerd rejects some of these fields altogether.
 */
const requestInitFields: readonly (readonly [name: string, fallback: unknown])[] = [
  ['cache', 'default'],
  ['credentials', 'same-origin'],
  ['keepalive', false],
  ['mode', 'cors'],
  ['priority', 'auto'],
  ['referrer', 'about:client'],
  ['referrerPolicy', ''],
]

/** Returns the fields of a `Request` that survive a redirect. */
export function requestInitOf(source: RequestInit | Request): RequestInit {
  const init: Record<string, unknown> = {}
  for (const [name, fallback] of requestInitFields) {
    // Some of these names are not known to the types of every runtime.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only read
    const value: unknown = (source as Record<string, unknown>)[name]
    // Only a navigation has the mode 'navigate', and no request can be made with it.
    if (value !== undefined && value !== fallback && value !== 'navigate') init[name] = value
  }
  return init
}
