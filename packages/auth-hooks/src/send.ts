import type { Authorization, Fetch } from '@svc/types'
import type { BodySource, SerializedBody } from './outgoing-body.ts'
import { streamOf } from './outgoing-body.ts'
import { detachedInit, type FrozenRequest } from './outgoing-request.ts'
import { AuthError } from './auth-error.ts'

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
  const { input, init } = wireForm(request, authorization, isReplay)
  return fetch(input, init)
}

/** The two arguments of `fetch` for a request and what authenticates it. */
export function wireForm(
  request: FrozenRequest,
  authorization: Authorization | undefined,
  isReplay: boolean,
): { input: string | Request; init: RequestInit & { duplex?: 'half' } } {
  const { carrier, method, url, body, signal } = request
  const headers = authorization ? request.headers.with(authorization.headers) : request.headers
  const wireUrl = authorization?.url ?? url.href
  const record = headers.toRecord()
  const own = {
    method,
    headers: request.headersObject ? new Headers(record) : record,
    redirect: 'manual',
    ...(signal && { signal }),
  } as const

  if (carrier && wireUrl === carrier.url && !authorization?.body) {
    // A Request that is sent itself keeps its content length and its dispatcher.
    const ownBody = request.carrierBody && !isReplay
    const source = ownBody ? undefined : body?.source
    return { input: carrier, init: { ...request.init, ...own, ...bodyInit(source, body) } }
  }
  if (carrier && request.carrierBody && !body?.replayable && !authorization?.body) {
    throw new AuthError(
      'ERR_AUTH_BODY',
      `[@svc/auth-hooks] ${method} ${url.origin}${url.pathname}: the URL must change to be signed, ` +
        'and the body of this Request is too large to keep; call fetch with (url, init) instead',
    )
  }
  const source = authorization?.body ? streamOf(authorization.body) : body?.source
  return {
    input: wireUrl,
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
