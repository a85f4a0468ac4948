import type { Authorization, AuthScheme, Fetch } from '@svc/types'
import { claimStream, releaseRequest } from '#platform'
import { drain } from '../kernel/drain.ts'
import { exchange, type Transport } from '../kernel/exchange.ts'
import {
  checkCount,
  defaultMaxReplayBytes,
  exchangeNames,
  type ExchangeOptions,
  readExchangeOptions,
} from '../kernel/options.ts'
import { assertNotFollowed } from '../kernel/redirect.ts'
import { readInputBase } from '../kernel/request.ts'
import { releaseStream } from '../kernel/stream.ts'
import { isThenable } from '../kit/async.ts'
import { check, checkFunctions, isRequest, type OptionNames } from '../kit/checks.ts'
import { readTrustRedirects, type TrustedFetch } from '../kit/inner-fetch.ts'
import { fetchArguments, rebuildError, rebuildInit, type SendOptions } from './fetch-arguments.ts'
import { type FetchRequest, readFetchRequest } from './request.ts'

/** Options of {@link authFetch}. */
export interface AuthFetchOptions extends FetchAdapterOptions {
  /**
   * The base of relative inputs, its path included, as ky's `prefix` is: `/user/groups` and `user/groups` are
   * the same, and so are any number of slashes and backslashes at the start. An input is relative unless it
   * has a scheme, such as `https:`; a `URL` or a `Request` is absolute. What leads out of it, such as
   * `../user`, is an `ERR_AUTH_URL`.
   *
   * @default none: an input must be absolute, except in a page or a worker
   */
  baseUrl?: string | URL | undefined
}

/**
 * Options of the adapters that run on a `fetch`. Those of clients that make each `Request` themselves have a
 * base URL of their own.
 */
export interface FetchAdapterOptions extends ExchangeOptions, TrustedFetch {
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
  /**
   * Makes a `Request` anew if it must go to another URL: to the target of a redirect, or to the form of
   * its own URL that was signed. On Node 24 and later it cannot be seen if it holds a `dispatcher` (a proxy, a
   * client certificate), nor on Deno a `client`, which the new one would lose. Otherwise it is sent with
   * its URL as it stands, and a redirect is an `ERR_AUTH_REQUEST`.
   *
   * @default `false`
   */
  rebuildRequests?: boolean | undefined
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
 * `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`, `ERR_AUTH_REQUEST`, `ERR_AUTH_REDIRECT`, and the errors of the scheme.
 * @example
 * import { authFetch, createTokenAuth } from '@svc/auth-token'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { username: 'reader@example.com', password: 'a password' }
 * const serviceFetch = authFetch(createTokenAuth({ baseUrl, credentials }), { baseUrl })
 * const response = await serviceFetch('/user/groups')
 * console.log(await response.json())
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export function authFetch(scheme: AuthScheme, options: AuthFetchOptions = {}): Fetch {
  const names = { ...fetchAdapterNames, baseUrl: 'endpoint prefix prefixUrl url host' }
  const hint = '; @svc/auth-hooks/retry has retry'
  return authFetchFor('[@svc/auth-hooks] authFetch', scheme, options, { names, hint })
}

// Bundlers keep a spread that is on its own.
export const fetchAdapterNames: OptionNames<FetchAdapterOptions> = /* @__PURE__ */ (() => ({
  ...exchangeNames,
  fetch: 'fetchImpl customFetch',
  maxReplayBytes: 'maxBodyBytes',
  rebuildRequests: '',
  trustRedirects: '',
}))()

/** Returns {@link authFetch} for a function that is another one to its caller. */
export function authFetchFor<Options extends FetchAdapterOptions>(
  caller: string,
  scheme: AuthScheme,
  given: Options,
  variant: {
    readonly names: OptionNames<NoInfer<Options>>
    /** Ends the message about an option that is none of these. */
    readonly hint?: string
    readonly rebuildRequests?: boolean
  },
  run: typeof exchange = exchange,
): Fetch {
  const { names, hint } = variant
  const { settings, options } = readExchangeOptions(scheme, given, caller, names, hint)
  const { baseUrl, fetch, maxReplayBytes = defaultMaxReplayBytes }: AuthFetchOptions = options
  const { rebuildRequests = variant.rebuildRequests ?? false } = options
  checkFunctions({ fetch }, caller)
  const trustRedirects = readTrustRedirects(options, caller)
  checkCount(maxReplayBytes, caller, 'maxReplayBytes')
  check(typeof rebuildRequests === 'boolean', caller, 'rebuildRequests must be true or false')
  const base = baseUrl === undefined ? undefined : readInputBase(baseUrl, caller)
  const isForeign = fetch !== undefined
  const reading = { caller, scheme, maxReplayBytes, base, isForeign }
  const sending = { rebuildRequests, isForeign }
  const transport = fetchTransport(caller, fetch, trustRedirects, sending)
  return async (input, init) => {
    let request: FetchRequest
    try {
      claimStream(init?.body)
      const read = readFetchRequest(reading, input, init)
      request = isThenable(read) ? await read : read
    } catch (error) {
      if (init?.body) releaseStream(init.body, error)
      else if (isRequest(input)) releaseRequest(input, error)
      throw error
    }
    // Not awaited here: a function that waits takes half a kilobyte for each request under way.
    return run(scheme, settings, transport, request)
  }
}

/** Returns `fetch` as a client: a response of it is its own head. */
function fetchTransport(
  caller: string,
  fetch: Fetch | undefined,
  trustRedirects: boolean,
  options: SendOptions,
): Transport<FetchRequest, Response> {
  return {
    send: (request, authorization) =>
      callFetch(fetch ?? globalThis.fetch, request, authorization, options),
    responseHead(response, request) {
      check(typeof response?.status === 'number', caller, 'fetch must resolve to a Response')
      if (!trustRedirects) assertNotFollowed(response, request)
      return markRedirected(response, request.redirectedType)
    },
    discard: drain,
    redirected(request, { keepsBody, ...changes }) {
      const rebuilt = rebuildInit(request, options.rebuildRequests)
      if (!rebuilt) throw rebuildError(request, 'a redirect leads to another URL')
      const { body: _body, ...init } = rebuilt
      const body = keepsBody ? request.body : undefined
      const isCrossOrigin = changes.url.origin !== request.url.origin
      const redirectedType = isCrossOrigin ? 'cors' : (request.redirectedType ?? 'basic')
      return { ...request, ...changes, body, init, originalRequest: undefined, redirectedType }
    },
    release({ body, originalRequest, sendsOriginalBody }, error) {
      if (originalRequest && sendsOriginalBody) releaseRequest(originalRequest, error)
      else releaseStream(body?.source, error)
    },
  }
}

/** Makes a response say that it was redirected: each hop was a request of its own to the inner fetch. */
function markRedirected(response: Response, type: FetchRequest['redirectedType']): Response {
  if (!type) return response
  const clone = response.clone.bind(response)
  return Object.defineProperties(response, {
    redirected: { value: true, configurable: true },
    ...(response.type === 'basic' && { type: { value: type, configurable: true } }),
    clone: { value: () => markRedirected(clone(), type), configurable: true, writable: true },
  })
}

function callFetch(
  fetch: Fetch,
  request: FetchRequest,
  authorization: Authorization | undefined,
  options: SendOptions,
): Promise<Response> {
  const { input, init, upload } = fetchArguments(request, authorization, options)
  if (!upload) return fetch(input, init)
  const sendUpload = async (): Promise<Response> => {
    try {
      const response = await fetch(input, init)
      upload.onResponse()
      return response
    } catch (error) {
      // Some runtimes put the failure of a body into an error of their own.
      throw upload.abort(error)
    }
  }
  return sendUpload()
}
