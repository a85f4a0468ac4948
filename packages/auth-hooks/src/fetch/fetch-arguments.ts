import type { Authorization, OutgoingBody } from '@svc/types'
import { streamLargeBlob } from '#platform'
import type { SerializedBody } from '../kernel/body.ts'
import { bodyError } from '../kernel/errors.ts'
import { contentLength } from '../kernel/headers.ts'
import { requestLine } from '../kernel/request.ts'
import { isWebStream } from '../kernel/stream.ts'
import { toUploadStream, type UploadStream } from '../kernel/upload.ts'
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
  const given = authorization?.body ?? (asGiven ? undefined : streamedBody(body, isForeign))
  // The caller's own length is that of the body before it was wrapped.
  const record = request.headers.toRecord(given ? [...added, contentLength(given)] : added)
  const headers = request.headersObject ? new Headers(record) : record
  const upload = given && toUploadStream(given, signal)

  const wireUrl = authorization?.url ?? url.href
  const isOtherUrl = originalRequest !== undefined && wireUrl !== originalRequest.url
  const rebuilt = isOtherUrl ? rebuildInit(request, rebuildRequests) : undefined
  const sendsOwnBody = request.sendsOriginalBody && !body?.replayable && !upload
  if (rebuilt && sendsOwnBody) {
    throw bodyError(
      `${requestLine(request)}: the URL must be rewritten to be signed, ` +
        'but the body of this Request is too large to buffer; call fetch with (url, init) instead',
    )
  }
  const isSpelling = authorization?.mismatchCode !== undefined && !hasStrayPercent(originalRequest)
  if (isOtherUrl && !rebuilt && !isSpelling) {
    throw rebuildError(request, 'the scheme changes the URL')
  }
  const init: SentInit = { ...(rebuilt ?? request.init), method, headers, redirect: 'manual' }
  if (signal) init.signal = signal
  const source = upload ? upload.stream : body?.source
  if (source !== undefined && !sendsOwnBody) {
    init.body = source
    if (upload || !body?.replayable) init.duplex = 'half'
  }
  // A Request that is sent itself keeps its dispatcher, and the content length of a large body.
  const input = rebuilt ? wireUrl : (originalRequest ?? wireUrl)
  return { input, init, upload, isOtherUrl: isOtherUrl && !rebuilt }
}

// A server refuses it before it looks at a signature.
function hasStrayPercent(request: Request | undefined): boolean {
  return request !== undefined && /%(?![\da-f]{2})/i.test(request.url)
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
  if (body.replayable) return body.isPackaged ? body : streamLargeBlob(body)
  const isSuspect = isForeign && isWebStream(body.source)
  return body.size !== undefined || isSuspect ? body : undefined
}
