import type { AuthScheme, Fetch } from '@svc/types'
import { drain } from '../kernel/drain.ts'
import { exchange, type Transport } from '../kernel/exchange.ts'
import { count, type ExchangeOptions, readExchangeOptions } from '../kernel/options.ts'
import {
  defaultMaxReplayBytes,
  detachedInit,
  type FrozenRequest,
  freeze,
} from '../kernel/request.ts'
import { send } from './send.ts'

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
 * (for a refused token or a wrong clock), and never sends a credential to a URL that the
 * scheme does not cover.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the returned `fetch`: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`,
 * `ERR_AUTH_HEADER`, `ERR_AUTH_BODY`, `ERR_AUTH_REDIRECT`, and whatever the scheme throws.
 * @example
 * import { authFetch, createTokenAuth } from '@svc/auth-token'
 *
 * const baseUrl = 'https://search.example.com'
 * const credentials = { username: 'reader@example.com', password: 'a password' }
 * const fetch = authFetch(createTokenAuth({ baseUrl, credentials }))
 * const response = await fetch(`${baseUrl}/user/groups`)
 * console.log(await response.json())
 * @see https://fetch.spec.whatwg.org/#fetch-method
 */
export function authFetch(scheme: AuthScheme, options: AuthFetchOptions = {}): Fetch {
  const settings = readExchangeOptions(scheme, options)
  const { fetch } = options
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new TypeError('fetch must be a function')
  }
  const maxReplayBytes = count('maxReplayBytes', options.maxReplayBytes ?? defaultMaxReplayBytes)
  const transport = fetchTransport(fetch)
  return async (input, init) => {
    const frozen = freeze(scheme, input, init, maxReplayBytes)
    const request = frozen instanceof Promise ? await frozen : frozen
    const { answer, hops } = await exchange(scheme, settings, transport, request)
    return hops > 0 ? markRedirected(answer) : answer
  }
}

/** `fetch` as a client: what its answer says in its head is the answer itself. */
function fetchTransport(fetch: Fetch | undefined): Transport<FrozenRequest, Response> {
  return {
    send: (request, authorization, isReplay) =>
      send(fetch ?? globalThis.fetch, request, authorization, isReplay),
    head: (response) => response,
    discard: (response) => void drain(response),
    redirected(request, { keepsBody, ...changes }) {
      const { body: _body, ...init } = detachedInit(request)
      const body = keepsBody ? request.body : undefined
      return { ...request, ...changes, body, init, carrier: undefined }
    },
  }
}

function markRedirected(response: Response): Response {
  // Each hop was a request of its own to the inner fetch, so it cannot know.
  Object.defineProperty(response, 'redirected', { value: true, configurable: true })
  return response
}
