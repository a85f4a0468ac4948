/**
 * The smallest `authFetch` that keeps the promises, for pages and workers that send text and bytes.
 *
 * @module @svc/auth-hooks/light
 */
import type { Authorization, AuthEvent, AuthScheme, Fetch } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import { bodyError } from '../kernel/errors.ts'
import { exchange, type Transport } from '../kernel/exchange.ts'
import type { ExchangeSettings } from '../kernel/options.ts'
import { assertNotFollowed } from '../kernel/redirect.ts'
import { refuseRedirect } from '../kernel/refuse-redirect.ts'
import { requestLine } from '../kernel/request.ts'
import { assertScheme, check, checkFunctions, checkOptions } from '../kit/checks.ts'
import { fullOne, type LightRequest, readLightRequest } from './request.ts'

/** Options of {@link authFetch}. */
export interface AuthFetchOptions {
  /**
   * The inner fetch, which sends the requests.
   *
   * @default the global one, looked up at each call
   */
  fetch?: Fetch | undefined
  /**
   * Called with `redirect.refused`. Errors it throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

const caller = '[@svc/auth-hooks/light] authFetch'

/**
 * Returns a `fetch` that authenticates every request, once per physical attempt, and sends it again if the scheme asks
 * for it: for a rejected token or a wrong clock. A URL that the scheme does not cover is an error, and nothing is sent.
 *
 * It takes a URL with a body of text, bytes, `URLSearchParams` or a `Blob`, and never follows a redirect. Anything else,
 * such as a `Request`, a stream or a form, is an error that names the `authFetch` of `@svc/auth-hooks`, which takes it.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the returned `fetch`: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`,
 * `ERR_AUTH_REQUEST`, `ERR_AUTH_REDIRECT`, and the errors of the scheme.
 * @example
 * import { authFetch } from '@svc/auth-hooks/light'
 * import { createSigV4Auth } from '@svc/auth-sigv4'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { accessKeyId: 'an id', secretAccessKey: 'a secret' }
 * const serviceFetch = authFetch(createSigV4Auth({ baseUrl, region: 'eu-central-1', credentials }))
 * const response = await serviceFetch(new URL('/V1/reports', baseUrl))
 * console.log(await response.json())
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export function authFetch(
  scheme: AuthScheme,
  options: AuthFetchOptions = {},
): (input: string | URL, init?: RequestInit) => Promise<Response> {
  assertScheme(scheme, caller, 'scheme')
  const names = { fetch: 'fetchImpl customFetch', onEvent: 'onEvents' }
  const { fetch, onEvent } = checkOptions(options, caller, names, fullOne)
  checkFunctions({ fetch, onEvent }, caller)
  const settings: ExchangeSettings = {
    redirect: 'covered',
    maxRedirects: 0,
    isSensitiveHeader: () => false,
    onEvent,
    follow: refuseRedirect,
  }
  const transport = lightTransport(fetch)
  return async (input, init = {}) => {
    const request = readLightRequest(caller, scheme, input, init)
    return (await exchange(scheme, settings, transport, request)).response
  }
}

/** Returns `fetch` as a client: a response of it is its own head. */
function lightTransport(fetch: Fetch | undefined): Transport<LightRequest, Response> {
  return {
    async send(request, authorization) {
      const send = fetch ?? globalThis.fetch
      return send(authorization?.url ?? request.url.href, sentInit(request, authorization))
    },
    responseHead(response, request) {
      check(typeof response?.status === 'number', caller, 'fetch must resolve to a Response')
      assertNotFollowed(response, request)
      return response
    },
    discard: (response) => void drain(response),
    redirected: (request) => request,
  }
}

function sentInit(request: LightRequest, authorization: Authorization | undefined): RequestInit {
  const { init, method, headers, signal, body } = request
  if (authorization?.body) {
    throw bodyError(`${requestLine(request)}: the scheme sends the body as a stream${fullOne}`)
  }
  return {
    ...init,
    method,
    headers: headers.toRecord(authorization?.headers),
    redirect: 'manual',
    ...(signal && { signal }),
    ...(body && { body: body.source }),
  }
}
