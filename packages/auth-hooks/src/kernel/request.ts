import type { AuthScheme, OutgoingRequest } from '@svc/types'
import { untilAborted } from '../kit/async.ts'
import { AuthError } from '../kit/errors.ts'
import { type BodySource, readRequestBody, serializeBody, type SerializedBody } from './body.ts'
import type { ExchangeRequest } from './exchange.ts'
import { OutgoingHeaders, withContentType } from './headers.ts'

/** A request as the caller gave it, read once; nothing of the caller's is kept that could change. */
export interface FrozenRequest extends ExchangeRequest {
  readonly body: SerializedBody | undefined
  /** The caller's `Request`, sent itself as long as its URL stays. */
  readonly carrier: Request | undefined
  /** Whether the carrier's own body is the one to send. */
  readonly carrierBody: boolean
  /** Whether the caller gave a `Headers`, and an inner fetch may expect one. */
  readonly headersObject: boolean
  /** Whatever else the caller's `init` says. */
  readonly init: RequestInit
}

/** The methods that `fetch` takes in any case. `patch` is none of them, and nothing serves it. */
const normalizedMethod = /^(?:delete|get|head|options|patch|post|put)$/i

/**
 * Reads method, URL, headers and body once. Only the body of a `Request` has to be waited for.
 *
 * @throws AuthError `ERR_AUTH_URL`, `ERR_AUTH_HEADER`
 */
export function freeze(
  scheme: AuthScheme,
  input: string | URL | Request,
  init: RequestInit | undefined,
  maxReplayBytes: number,
): FrozenRequest | Promise<FrozenRequest> {
  const carrier = isRequest(input) ? input : undefined
  // oxlint-disable-next-line typescript/no-base-to-string -- any object is what its `toString` says
  const url = readRequestUrl(carrier ? carrier.url : String(input))
  const signal = (init?.signal === undefined ? carrier?.signal : init.signal) ?? undefined
  // The very reason, at once, before a body is touched.
  signal?.throwIfAborted()
  refuseUncovered(scheme, url)
  refuseNoCors(init?.mode ?? carrier?.mode, url)

  const copied = copyInit(init)
  const source: BodySource | undefined = init?.body ?? undefined
  // A Request given as init has a body that can be read like that of any Request.
  const givenRequest = init && isRequest(init) ? init : undefined
  const holder = source === undefined ? carrier : givenRequest
  const own = source === undefined || holder ? undefined : serializeBody(source)
  const given = OutgoingHeaders.read(init?.headers ?? carrier?.headers)
  // Every runtime sends the host of the URL, whatever stands here.
  const headers = given.has('host') ? given.with([['host', null]]) : given
  const method = init?.method ?? carrier?.method ?? 'GET'
  const withBody = (body: SerializedBody | undefined): FrozenRequest => ({
    method: normalizedMethod.test(method) ? method.toUpperCase() : method,
    url,
    headers: withContentType(headers, body),
    body,
    signal,
    redirect: init?.redirect ?? carrier?.redirect ?? 'follow',
    carrier,
    carrierBody: body !== undefined && holder !== undefined && holder === carrier,
    headersObject: carrier !== undefined || init?.headers instanceof Headers,
    init: copied,
  })
  if (!holder) return withBody(own)
  if (holder.bodyUsed) throw new TypeError('Cannot send a Request whose body has been used')
  return untilAborted(readRequestBody(holder, maxReplayBytes, signal), signal).then(withBody)
}

/**
 * Throws where the mode is `no-cors`, in which a browser drops the headers of a scheme and says
 * nothing of it.
 */
export function refuseNoCors(mode: unknown, { origin, pathname }: URL): void {
  if (mode !== 'no-cors') return
  throw new AuthError(
    'ERR_AUTH_HEADER',
    `[@svc/auth-hooks] ${origin}${pathname}: mode 'no-cors' would drop the credential; nothing was sent`,
  )
}

/** As {@link freeze}, of a clone: a `Request` of the caller's stays usable. */
export async function freezeCopy(
  scheme: AuthScheme,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<FrozenRequest> {
  const copy = isRequest(input) && !init?.body ? input.clone() : input
  return freeze(scheme, copy, init, defaultMaxReplayBytes)
}

/** The default of `maxReplayBytes`. */
export const defaultMaxReplayBytes: number = 8 * 1024 * 1024

/** What a scheme sees of a request. */
export function outgoing(
  request: Omit<ExchangeRequest, 'redirect'>,
  attempt: number,
  reason: OutgoingRequest['reason'],
): OutgoingRequest {
  const { method, url, headers, body, signal } = request
  return { method, url, headers, body, attempt, reason, ...(signal && { signal }) }
}

/** The `init` that sends a request to an address that is not its carrier's. */
export function detachedInit(request: FrozenRequest): RequestInit {
  const { carrier, init } = request
  return carrier ? { ...carried(carrier), ...init } : init
}

/** A `Request` of this realm, of another, or of a package. */
function isRequest(input: string | URL | Request | RequestInit): input is Request {
  return typeof input === 'object' && 'url' in input && 'clone' in input
}

/**
 * The URL that a client is about to ask for.
 *
 * @throws AuthError `ERR_AUTH_URL` where it is no absolute http(s) URL, or carries a user name.
 */
export function readRequestUrl(text: string): URL {
  // In a page or a worker a relative URL means what it means to `fetch`.
  const base: string | undefined = globalThis.document?.baseURI ?? globalThis.location?.href
  let url: URL
  try {
    url = new URL(text, base)
  } catch {
    throw new AuthError(
      'ERR_AUTH_URL',
      '[@svc/auth-hooks] the request URL must be a valid absolute URL',
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

/** Throws where the scheme's credentials must not travel to this URL. */
export function refuseUncovered(scheme: AuthScheme, url: URL): void {
  if (scheme.covers(url)) return
  throw new AuthError(
    'ERR_AUTH_ORIGIN',
    `[@svc/auth-hooks] ${url.origin}${url.pathname} is not covered by the scheme ${scheme.name}; ` +
      'nothing was sent',
  )
}

/**
 * What a `Request`, or an `init`, says beyond method, headers, body, signal and redirect, with the
 * defaults: such a value is left out, since workerd refuses some of these fields altogether.
 */
const carriedFields: readonly (readonly [name: string, fallback: unknown])[] = [
  ['cache', 'default'],
  ['credentials', 'same-origin'],
  ['integrity', ''],
  ['keepalive', false],
  ['mode', 'cors'],
  ['priority', 'auto'],
  ['referrer', 'about:client'],
  ['referrerPolicy', ''],
]

/**
 * A copy of an `init` that may be read again: its own fields, known or not (`dispatcher`, `cf`), and
 * those that stand on a prototype, as where a `Request` is given as `init`.
 */
export function copyInit(init: RequestInit | undefined): RequestInit {
  if (!init) return {}
  const prototype: unknown = Object.getPrototypeOf(init)
  if (prototype === Object.prototype || prototype === null) return { ...init }
  return { ...carried(init), ...init }
}

/** What of a `Request` goes on to another address. */
export function carried(source: RequestInit | Request): RequestInit {
  const init: Record<string, unknown> = {}
  for (const [name, fallback] of carriedFields) {
    // Some of these names are not known to the types of every runtime.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only read
    const value: unknown = (source as Record<string, unknown>)[name]
    // Only a navigation has the mode 'navigate', and no request can be made with it.
    if (value !== undefined && value !== fallback && value !== 'navigate') init[name] = value
  }
  return init
}
