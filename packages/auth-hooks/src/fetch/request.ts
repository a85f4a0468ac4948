import { isFormRequest, iterateRequest } from '#platform'
import type { AuthScheme } from '@svc/types'
import {
  announcedBody,
  type BodySource,
  bytesBody,
  serializeBody,
  type SerializedBody,
  streamBody,
} from '../kernel/body.ts'
import { OutgoingHeaders, withContentType } from '../kernel/headers.ts'
import { defaultMaxReplayBytes } from '../kernel/options.ts'
import {
  type ExchangeRequest,
  readFetchFields,
  readRequestUrl,
  requestLine,
} from '../kernel/request.ts'
import { type OwnBytes, readUpTo } from '../kernel/stream.ts'
import { abortable, type MaybePromise } from '../kit/async.ts'
import { check, isRequest } from '../kit/checks.ts'
import { bodyError } from '../kit/errors.ts'

/** A request as the caller of `fetch` gave it, read once: nothing in it changes with the caller's objects. */
export interface FetchRequest extends ExchangeRequest {
  readonly body: SerializedBody | undefined
  /** The caller's `Request`, sent itself as long as its URL stays. */
  readonly originalRequest: Request | undefined
  /** `true` if the body of the original request is the one to send. */
  readonly sendsOriginalBody: boolean
  /** The type of a response after the redirects so far, as `fetch` has it; `undefined` if there was none. */
  readonly redirectedType?: 'basic' | 'cors'
  readonly init: RequestInit
}

export interface FetchReading {
  readonly caller: string
  readonly scheme: AuthScheme
  /** @default {@link defaultMaxReplayBytes} */
  readonly maxReplayBytes?: number
  readonly base?: URL | undefined
  /** `true` if the inner `fetch` is the caller's: it is given bytes of what a package made. */
  readonly isForeign?: boolean
}

// Every runtime sends the host of the URL and frames the body by itself.
const wireHeaders: readonly string[] = ['host', 'transfer-encoding']

/** Reads the arguments of `fetch`. Only the body of a `Request` has to be waited for. */
export function readFetchRequest(
  reading: FetchReading,
  input: string | URL | Request,
  init: RequestInit | undefined,
): MaybePromise<FetchRequest> {
  const { caller, scheme, maxReplayBytes = defaultMaxReplayBytes, base } = reading
  const originalRequest = isRequest(input) ? input : undefined
  const url = readRequestUrl(originalRequest ? originalRequest.url : input, base)
  const signal = (init?.signal === undefined ? originalRequest?.signal : init.signal) ?? undefined
  // Before a body is touched.
  const { method, redirect } = readFetchFields(caller, scheme, url, {
    signal,
    mode: init?.mode ?? originalRequest?.mode,
    integrity: init?.integrity ?? originalRequest?.integrity,
    method: init?.method ?? originalRequest?.method,
    redirect: init?.redirect ?? originalRequest?.redirect,
  })

  const source: BodySource | undefined = init?.body ?? undefined
  // A Request given as init has a body that can be read like that of any Request.
  const givenRequest = init && isRequest(init) ? init : undefined
  const holder = source === undefined ? originalRequest : givenRequest
  const own = source === undefined || holder ? undefined : serializeBody(source)
  const given = OutgoingHeaders.read(init?.headers ?? originalRequest?.headers)
  const isFramed = wireHeaders.some((name) => given.has(name))
  const headers = isFramed ? given.without((name) => wireHeaders.includes(name)) : given
  const request: FetchRequest = {
    method,
    url,
    headers,
    body: undefined,
    signal,
    redirect,
    originalRequest,
    sendsOriginalBody: false,
    init: copyInit(init),
  }
  if (own?.isPackaged && reading.isForeign) {
    const read = Promise.resolve(own.bytes())
    return read.then((bytes) =>
      withBody(request, { ...own, ...bytesBody(bytes as OwnBytes), isPackaged: false }, false),
    )
  }
  if (!holder) return withBody(request, own, false)
  check(!holder.bodyUsed, caller, 'the body of the Request has already been used; pass a clone')
  // That of a package is a stream of Node's, two copies of which would hold each other up.
  if (holder.body && !('getReader' in holder.body)) {
    throw bodyError(
      `${requestLine({ method, url })}: the body of this Request is no ReadableStream; call fetch with (url, init)`,
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

/** Returns a clone of a `Request` whose body is to be read, so that the caller's stays usable. */
export function cloneRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): string | URL | Request {
  return isRequest(input) && !init?.body ? input.clone() : input
}

/** Copies an `init`: its own fields, known or not (`dispatcher`, `cf`), and those of a `Request` given as `init`. */
function copyInit(init: RequestInit | undefined): RequestInit {
  if (!init) return {}
  const prototype: unknown = Object.getPrototypeOf(init)
  const isPlain = prototype === Object.prototype || prototype === null
  return isPlain ? { ...init } : { ...requestInitOf(init), ...init }
}

/** Further fields of a `Request` with their defaults, which are left out: workerd rejects some of these fields. */
const requestDefaults: Readonly<Record<string, unknown>> = {
  cache: 'default',
  credentials: 'same-origin',
  keepalive: false,
  mode: 'cors',
  priority: 'auto',
  referrer: 'about:client',
  referrerPolicy: '',
}

/** Returns the fields of a `Request` that survive a redirect. */
export function requestInitOf(source: RequestInit | Request): RequestInit {
  const init: Record<string, unknown> = {}
  for (const [name, fallback] of Object.entries(requestDefaults)) {
    // Some of these names are not known to the types of every runtime.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only read
    const value: unknown = (source as Record<string, unknown>)[name]
    // Only a navigation has the mode 'navigate', and no request can be made with it.
    if (value !== undefined && value !== fallback && value !== 'navigate') init[name] = value
  }
  return init
}

/** Reads the body of a `Request`: as bytes if a clone of it ends within the limit, else as its stream. */
async function readRequestBody(
  request: Request,
  maxReplayBytes: number,
  signal: AbortSignal | undefined,
): Promise<SerializedBody | undefined> {
  const mayHaveBody = request.method !== 'GET' && request.method !== 'HEAD'
  // Firefox has no `Request.body` and gives undefined, whatever the request holds.
  if (request.body === null || !mayHaveBody) return undefined
  const clone = request.clone()
  if (!clone.body) {
    let bytes: OwnBytes
    try {
      bytes = new Uint8Array(await clone.arrayBuffer())
    } catch {
      // React Native has no bytes of a form; the request is sent as it stands.
      return streamBody(request.body as never)
    }
    return bytes.byteLength > 0 ? bytesBody(bytes) : undefined
  }
  // Since it was cloned, its body is a branch of the one that it had.
  const { body } = request
  const isForm = isFormRequest(request)
  const chunks = iterateRequest({ body: clone.body, isForm })
  const abort = (): void => {
    // The source ends when both of its branches do.
    chunks.return?.(signal?.reason).catch(() => {})
    if (!isForm) body.cancel(signal?.reason).catch(() => {})
  }
  signal?.addEventListener('abort', abort)
  try {
    const bytes = await readUpTo(chunks, maxReplayBytes)
    if (!bytes)
      return streamBody(body, () => ({
        [Symbol.asyncIterator]: () => iterateRequest({ body, isForm }),
      }))
    // The bytes are sent in its place: Deno would send a stream, without a length.
    body.cancel().catch(() => {})
    return bytesBody(bytes)
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
