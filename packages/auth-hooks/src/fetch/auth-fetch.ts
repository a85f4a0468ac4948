import type { Authorization, AuthScheme, Fetch } from '@svc/types'
import { streamLargeBlob } from '#upload-memory'
import type { BodySource, SerializedBody } from '../kernel/body.ts'
import { drain } from '../kernel/drain.ts'
import { exchange, type Transport } from '../kernel/exchange.ts'
import { contentLength } from '../kernel/headers.ts'
import { checkCount, type ExchangeOptions, readExchangeOptions } from '../kernel/options.ts'
import {
  defaultMaxReplayBytes,
  type FetchRequest,
  initWithoutRequest,
  readFetchRequest,
} from '../kernel/request.ts'
import { toUploadStream, type UploadStream } from '../kernel/upload.ts'
import { isThenable } from '../kit/async.ts'
import { checkFunctions } from '../kit/checks.ts'
import { AuthError } from '../kit/errors.ts'

/** Options of {@link authFetch}. */
export interface AuthFetchOptions extends ExchangeOptions {
  /**
   * The inner fetch, which sends the requests.
   *
   * @default the global one, looked up at each call
   */
  fetch?: Fetch | undefined
  /**
   * The largest body of a `Request`, in bytes, that is buffered for hashing and replay. A larger
   * one is sent as a stream, and only once.
   *
   * @default 8 388 608, which is 8 MiB
   */
  maxReplayBytes?: number | undefined
}

/**
 * Returns a `fetch` that authenticates every request: after all of a client's own hooks, once per
 * physical attempt, and on a copy that the client's errors never see.
 *
 * It asks the scheme again for each hop of a redirect, replays a request if the scheme asks for it
 * (for a rejected token or a wrong clock), and never sends a credential to a URL that the
 * scheme does not cover.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the returned `fetch`: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`,
 * `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`, `ERR_AUTH_REDIRECT`, and the errors of the scheme.
 * @example
 * import { authFetch, createTokenAuth } from '@svc/auth-token'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { username: 'reader@example.com', password: 'a password' }
 * const service = authFetch(createTokenAuth({ baseUrl, credentials }))
 * const response = await service(`${baseUrl}/user/groups`)
 * console.log(await response.json())
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export function authFetch(scheme: AuthScheme, options: AuthFetchOptions = {}): Fetch {
  const caller = '[@svc/auth-hooks] authFetch'
  const settings = readExchangeOptions(scheme, options, caller)
  const { fetch, maxReplayBytes = defaultMaxReplayBytes } = options
  checkFunctions({ fetch }, caller)
  checkCount(maxReplayBytes, caller, 'maxReplayBytes')
  const transport = fetchTransport(fetch)
  return async (input, init) => {
    const read = readFetchRequest(scheme, input, init, maxReplayBytes)
    const request = isThenable(read) ? await read : read
    const { response, hops } = await exchange(scheme, settings, transport, request)
    return hops > 0 ? markRedirected(response) : response
  }
}

/** Returns `fetch` as a client: a response of it is its own head. */
function fetchTransport(fetch: Fetch | undefined): Transport<FetchRequest, Response> {
  return {
    send: (request, authorization, isRetry) =>
      callFetch(fetch ?? globalThis.fetch, request, authorization, isRetry),
    responseHead: (response) => response,
    discard: (response) => void drain(response),
    redirected(request, { keepsBody, ...changes }) {
      const { body: _body, ...init } = initWithoutRequest(request)
      const body = keepsBody ? request.body : undefined
      return { ...request, ...changes, body, init, originalRequest: undefined }
    },
  }
}

function markRedirected(response: Response): Response {
  // Each hop was a request of its own to the inner fetch, so it cannot know.
  Object.defineProperty(response, 'redirected', { value: true, configurable: true })
  return response
}

/** Gives an inner `fetch` the request as it was authorized. */
function callFetch(
  fetch: Fetch,
  request: FetchRequest,
  authorization: Authorization | undefined,
  isRetry: boolean,
): Promise<Response> {
  const { input, init, upload } = fetchArguments(request, authorization, isRetry)
  const sent = fetch(input, init)
  if (!upload) return sent
  return sent.then(
    (response) => {
      upload.onResponse()
      return response
    },
    (error: unknown) => {
      // Some runtimes put the failure of a body into an error of their own.
      throw upload.abort(error)
    },
  )
}

/**
 * Returns the two arguments of `fetch` for a request as it was authorized: with no redirect followed
 * behind our back, and on headers that are no object of the caller's. `upload` is a body on its way.
 */
export function fetchArguments(
  request: FetchRequest,
  authorization: Authorization | undefined,
  isRetry: boolean,
): {
  input: string | Request
  init: RequestInit & { duplex?: 'half' }
  upload?: UploadStream | undefined
} {
  const { originalRequest, method, url, body, signal } = request
  const added = authorization?.headers ?? []
  const given = authorization?.body ?? streamLargeBlob(body)
  // The caller's own length is that of the body before it was wrapped.
  const record = request.headers.toRecord(given ? [...added, contentLength(given)] : added)
  const wireUrl = authorization?.url ?? url.href
  const own = {
    method,
    headers: request.headersObject ? new Headers(record) : record,
    redirect: 'manual',
    ...(signal && { signal }),
  } as const

  if (originalRequest && wireUrl === originalRequest.url && !given) {
    // A Request that is sent itself keeps its content length and its dispatcher.
    const ownBody = request.sendsOriginalBody && !isRetry
    const source = ownBody ? undefined : body?.source
    return { input: originalRequest, init: { ...request.init, ...own, ...bodyInit(source, body) } }
  }
  if (originalRequest && request.sendsOriginalBody && !body?.replayable && !given) {
    throw new AuthError(
      'ERR_AUTH_BODY',
      `[@svc/auth-hooks] ${method} ${url.origin}${url.pathname}: the URL must be rewritten to be signed, ` +
        'but the body of this Request is too large to buffer; call fetch with (url, init) instead',
    )
  }
  const upload = given && toUploadStream(given, signal)
  const source = upload ? upload.stream : body?.source
  return {
    input: wireUrl,
    upload,
    init: { ...initWithoutRequest(request), ...own, ...bodyInit(source, body) },
  }
}

/** Returns the part of an `init` that holds a body: the request's own, or a stream that a scheme gave. */
function bodyInit(
  source: BodySource | undefined,
  body: SerializedBody | undefined,
): { body?: BodySource; duplex?: 'half' } {
  if (source === undefined) return {}
  const isStream = source !== body?.source || !body.replayable
  return isStream ? { body: source, duplex: 'half' } : { body: source }
}
