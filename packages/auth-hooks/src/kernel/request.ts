import type { AuthScheme, OutgoingRequest } from '@svc/types'
import type { ExchangeRequest } from './exchange.ts'
import { untilAborted } from '../kit/async.ts'
import { AuthError } from '../kit/errors.ts'
import { withContentType } from './body-headers.ts'
import { OutgoingHeaders } from './headers.ts'
import { type BodySource, type SerializedBody, serializeBody } from './body.ts'
import { readRequestBody } from './request-body.ts'
import { carried, copyInit } from './request-init.ts'
import { readRequestUrl, refuseUncovered } from './request-url.ts'

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
