import type { Authorization, OutgoingBody } from '@svc/types'
import { heldConnection, openStream, streamLargeBlob } from '#platform'
import type { SerializedBody } from '../kernel/body.ts'
import { requestLine } from '../kernel/request.ts'
import { isWebStream } from '../kernel/stream.ts'
import { toUploadStream, type UploadStream } from '../kernel/upload.ts'
import { type AuthError, hooksError } from '../kit/errors.ts'
import { type FetchRequest, requestInitOf } from './request.ts'

type SentInit = RequestInit & { duplex?: 'half' }

/** The way in which a request is given to an inner `fetch`. */
export interface SendOptions {
  readonly rebuildRequests: boolean
  /** `true` if the inner `fetch` is the caller's, which may take no streams, or one argument alone. */
  readonly isForeign?: boolean
}

/**
 * Returns the two arguments of `fetch` for a request as it was authorized: with no redirect followed
 * behind our back, and on headers that are no object of the caller's. `upload` is a body on its way.
 */
export function fetchArguments(
  request: FetchRequest,
  authorization: Authorization | undefined,
  { rebuildRequests, isForeign }: SendOptions,
): {
  input: string | Request
  init: SentInit
  upload?: UploadStream | undefined
} {
  const { originalRequest, method, url, body, signal } = request
  const wireUrl = authorization?.url ?? url.href
  const isOtherUrl = originalRequest !== undefined && wireUrl !== originalRequest.url
  const rebuilt = isOtherUrl ? rebuildInit(request, rebuildRequests) : undefined
  // A Request is sent with its own stream, which keeps its length: a `fetch` that takes a Request takes that, too.
  const isOwnBody = request.sendsOriginalBody && !body?.replayable && !rebuilt
  const given = authorization?.body ?? (isOwnBody ? undefined : streamedBody(body, isForeign))
  // The caller's own length is that of the body before it was wrapped.
  const headers = request.headers.toRecord(authorization?.headers, given)
  const upload = given && toUploadStream(given, signal)
  // A server refuses a `%` that begins no escape before it looks at a signature.
  const mayStand = authorization?.mismatchCode !== undefined && !/%(?![\da-f]{2})/i.test(url.href)
  if (isOtherUrl && !rebuilt && !mayStand) {
    throw rebuildError(request, 'the scheme changes the URL')
  }
  const init: SentInit = { ...(rebuilt ?? request.init), method, headers, redirect: 'manual' }
  if (signal) init.signal = signal
  const source = upload ? upload.stream : body?.source
  if (source !== undefined && (upload || !isOwnBody)) {
    init.body = source
    openStream(source, isForeign)
    if (upload || !body?.replayable) init.duplex = 'half'
  }
  // A Request that is sent itself keeps its dispatcher, and the content length of a large body.
  const input = rebuilt ? wireUrl : (originalRequest ?? wireUrl)
  // A `fetch` that is given a Request may look at nothing else.
  const isWhole = isForeign && originalRequest instanceof Request
  return { input: isWhole ? new Request(input, init) : input, init, upload }
}

/**
 * Returns a body that is sent as a stream of ours: one that is counted, a `Blob` that is large or a package's,
 * or a stream for a `fetch` that may take none, and would send the text `[object ReadableStream]`.
 */
function streamedBody(
  body: SerializedBody | undefined,
  isForeign: boolean | undefined,
): OutgoingBody | undefined {
  if (!body) return undefined
  if (body.replayable && isForeign) return undefined
  if (body.replayable) return body.isPackaged ? body : streamLargeBlob(body)
  const isSuspect = isForeign && isWebStream(body.source)
  return body.size !== undefined || isSuspect ? body : undefined
}

/**
 * Returns the `init` that makes a request anew for another URL, or `undefined` if its `Request` may hold a
 * dispatcher or client (a proxy, a client certificate, a guard against private addresses) that would be lost.
 */
export function rebuildInit(
  { originalRequest, init }: Pick<FetchRequest, 'originalRequest' | 'init'>,
  rebuildRequests: boolean,
): RequestInit | undefined {
  if (!originalRequest) return init
  const held = heldConnection(originalRequest, init)
  if (!held && !rebuildRequests) return undefined
  return { ...requestInitOf(originalRequest), ...held, ...init }
}

/** Returns the error of a request that could only be sent without the dispatcher that it may hold. */
export function rebuildError(
  request: Pick<FetchRequest, 'method' | 'url'>,
  description: string,
): AuthError {
  return hooksError(
    'ERR_AUTH_REQUEST',
    `${requestLine(request)}: ${description}, and a new Request would lose ` +
      'its dispatcher or client; call fetch with (url, init), or set rebuildRequests: true',
  )
}
