import type { Authorization, OutgoingBody } from '@svc/types'
import { streamLargeBlob } from '#platform'
import type { BodySource, SerializedBody } from '../kernel/body.ts'
import { contentLength } from '../kernel/headers.ts'
import { isWebStream } from '../kernel/stream.ts'
import { toUploadStream, type UploadStream } from '../kernel/upload.ts'
import { AuthError } from '../kit/errors.ts'
import { rebuildError, rebuildInit } from './rebuild.ts'
import type { FetchRequest } from './request.ts'

type SentInit = RequestInit & { duplex?: 'half' }

/** The way in which a request is given to an inner `fetch`. */
export interface SendOptions {
  readonly rebuildRequests: boolean
  /** `true` if the inner `fetch` may be one that takes no streams. */
  readonly isForeign?: boolean
  /** `true` if it is one: a body is given as it came. */
  readonly asGiven?: boolean
}

/**
 * Returns the two arguments of `fetch` for a request as it was authorized: with no redirect followed
 * behind our back, and on headers that are no object of the caller's. `upload` is a body on its way.
 */
export function fetchArguments(
  request: FetchRequest,
  authorization: Authorization | undefined,
  { rebuildRequests, isForeign, asGiven }: SendOptions,
): {
  input: string | Request
  init: SentInit
  upload?: UploadStream | undefined
  /** `true` if the URL is sent in another form than the signed one. */
  isOtherUrl: boolean
} {
  const { originalRequest, method, url, body, signal } = request
  const added = authorization?.headers ?? []
  const ownStream = body && !asGiven ? streamedBody(body, isForeign) : undefined
  const given = authorization?.body ?? ownStream
  // The caller's own length is that of the body before it was wrapped.
  const record = request.headers.toRecord(given ? [...added, contentLength(given)] : added)
  const wireUrl = authorization?.url ?? url.href
  const headers = request.headersObject ? new Headers(record) : record
  const upload = given && toUploadStream(given, signal)

  const isOtherUrl = originalRequest !== undefined && wireUrl !== originalRequest.url
  const rebuilt = isOtherUrl ? rebuildInit(request, rebuildRequests) : undefined
  if (originalRequest && !rebuilt) {
    const isSpelling =
      authorization?.mismatchCode !== undefined && !hasStrayPercent(originalRequest)
    if (isOtherUrl && !isSpelling) {
      throw rebuildError(request, 'the scheme changes the URL')
    }
    // A Request that is sent itself keeps its dispatcher, and the content length of a large body.
    const ownBody = request.sendsOriginalBody && !body?.replayable
    const source = upload ? upload.stream : ownBody ? undefined : body?.source
    const init = sentInit(request.init, request, headers, source)
    return { input: originalRequest, init, upload, isOtherUrl }
  }
  if (originalRequest && request.sendsOriginalBody && !body?.replayable && !given) {
    throw new AuthError(
      'ERR_AUTH_BODY',
      `[@svc/auth-hooks] ${method} ${url.origin}${url.pathname}: the URL must be rewritten to be signed, ` +
        'but the body of this Request is too large to buffer; call fetch with (url, init) instead',
    )
  }
  const source = upload ? upload.stream : body?.source
  const init = sentInit(rebuilt ?? request.init, request, headers, source)
  return { input: wireUrl, init, upload, isOtherUrl: false }
}

// A server refuses it before it looks at a signature.
function hasStrayPercent({ url }: Request): boolean {
  return /%(?![\da-f]{2})/i.test(url)
}

/**
 * Returns a body that is sent as a stream of ours: one that is counted, a `Blob` that is large or a package's,
 * or a stream for a `fetch` that may take none, and would send the text `[object ReadableStream]`.
 */
function streamedBody(
  body: SerializedBody,
  isForeign: boolean | undefined,
): OutgoingBody | undefined {
  if (body.replayable) return body.isPackaged ? body : streamLargeBlob(body)
  const isSuspect = isForeign && isWebStream(body.source)
  return body.size !== undefined || isSuspect ? body : undefined
}

/** Returns an `init` with the parts that were authorized; `source` is the request's own body, or a stream. */
function sentInit(
  given: RequestInit,
  { method, signal, body }: FetchRequest,
  headers: Headers | Record<string, string>,
  source: BodySource | undefined,
): SentInit {
  const init: SentInit = { ...given, method, headers, redirect: 'manual' }
  if (signal) init.signal = signal
  if (source !== undefined) {
    init.body = source
    if (source !== body?.source || !body.replayable) init.duplex = 'half'
  }
  return init
}
