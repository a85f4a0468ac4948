import type { Authorization, Fetch } from '@svc/types'
import { largeBlob } from '#memory'
import { contentLength } from '../kernel/body-headers.ts'
import { type BodyStream, openBody } from '../kernel/upload.ts'
import type { BodySource, SerializedBody } from '../kernel/body.ts'
import { detachedInit, type FrozenRequest } from '../kernel/request.ts'
import { AuthError } from '../kit/errors.ts'

/**
 * Gives an inner `fetch` the request as it was authorized: with a redirect never followed behind our
 * back, and on headers that are no object of the caller's.
 */
export function send(
  fetch: Fetch,
  request: FrozenRequest,
  authorization: Authorization | undefined,
  isReplay: boolean,
): Promise<Response> {
  const { input, init, wrapped } = wireForm(request, authorization, isReplay)
  const response = fetch(input, init)
  // Some runtimes put the failure of a body into an error of their own.
  if (!wrapped) return response
  return response.then((answer) => {
    wrapped.answered()
    return answer
  }, wrapped.fail)
}

/** The two arguments of `fetch` for a request and what authenticates it, and the body that is streamed. */
export function wireForm(
  request: FrozenRequest,
  authorization: Authorization | undefined,
  isReplay: boolean,
): {
  input: string | Request
  init: RequestInit & { duplex?: 'half' }
  wrapped?: BodyStream | undefined
} {
  const { carrier, method, url, body, signal } = request
  const added = authorization?.headers ?? []
  const given = authorization?.body ?? largeBlob(body)
  // The caller's own length is that of what was wrapped.
  const record = request.headers.toRecord(given ? [...added, contentLength(given)] : added)
  const wireUrl = authorization?.url ?? url.href
  const own = {
    method,
    headers: request.headersObject ? new Headers(record) : record,
    redirect: 'manual',
    ...(signal && { signal }),
  } as const

  if (carrier && wireUrl === carrier.url && !given) {
    // A Request that is sent itself keeps its content length and its dispatcher.
    const ownBody = request.carrierBody && !isReplay
    const source = ownBody ? undefined : body?.source
    return { input: carrier, init: { ...request.init, ...own, ...bodyInit(source, body) } }
  }
  if (carrier && request.carrierBody && !body?.replayable && !given) {
    throw new AuthError(
      'ERR_AUTH_BODY',
      `[@svc/auth-hooks] ${method} ${url.origin}${url.pathname}: the URL must be rewritten to be signed, ` +
        'but the body of this Request is too large to buffer; call fetch with (url, init) instead',
    )
  }
  const wrapped = given && openBody(given, signal)
  const source = wrapped ? wrapped.stream : body?.source
  return {
    input: wireUrl,
    wrapped,
    init: { ...detachedInit(request), ...own, ...bodyInit(source, body) },
  }
}

/** The part of an `init` that holds a body: the request's own, or a stream that a scheme gave. */
function bodyInit(
  source: BodySource | undefined,
  body: SerializedBody | undefined,
): { body?: BodySource; duplex?: 'half' } {
  if (source === undefined) return {}
  const isStream = source !== body?.source || !body.replayable
  return isStream ? { body: source, duplex: 'half' } : { body: source }
}
