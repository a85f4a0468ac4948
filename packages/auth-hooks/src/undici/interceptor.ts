/**
 * Authenticates requests of undici 7 and 8, and of Node's `fetch` with a `dispatcher`. Needs
 * `undici`.
 *
 * @module @svc/auth-hooks/undici
 */
import type { AuthScheme } from '@svc/types'
import type { Dispatcher } from 'undici'
import { count, readExchangeOptions } from '../kernel/options.ts'
import { defaultMaxReplayBytes } from '../kernel/request.ts'
import { dispatchAuthorized } from './undici-dispatch.ts'

/** Options of {@link authInterceptor}. */
export interface AuthInterceptorOptions {
  /**
   * The largest body, in bytes, that is buffered for hashing and replay when `fetch` hides it from
   * the dispatcher. Only if its length is known.
   *
   * @default 8 388 608, which is 8 MiB
   */
  maxReplayBytes?: number | undefined
}

/**
 * What `compose` accepts in undici 7 and undici 8, whose types differ.
 *
 * @template Dispatch - This version's type of the function that sends.
 */
export type AuthInterceptor = <Dispatch extends (options: never, handler: never) => boolean>(
  dispatch: Dispatch,
) => Dispatch

/**
 * An interceptor for undici 7 and 8 that authenticates every dispatch: `request`, `stream`,
 * `pipeline`, `upgrade`, and the `fetch` of undici or Node with a `dispatcher`.
 *
 * Compose it first, so that it is the innermost one and sees a request last; only `interceptors.dns`
 * belongs before it. A redirect followed outside passes through it again, as a request for the new
 * URL, and is refused if the scheme does not cover that URL.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the request: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`,
 * `ERR_AUTH_BODY`, and whatever the scheme throws. `fetch` makes it the `cause` of its own error.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { authInterceptor } from '@svc/auth-hooks/undici'
 * import { Agent, interceptors, request } from 'undici'
 *
 * declare const auth: AuthScheme
 * const dispatcher = new Agent().compose(authInterceptor(auth), interceptors.retry())
 * const { body } = await request('https://search.example.com/user/groups', { dispatcher })
 * console.log(await body.json())
 * @see https://undici.nodejs.org/#/docs/api/Dispatcher?id=dispatchercomposeinterceptors-interceptor
 */
export function authInterceptor(
  scheme: AuthScheme,
  options: AuthInterceptorOptions = {},
): AuthInterceptor {
  const exchange = readExchangeOptions(scheme, {})
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  // Whoever gives one would take it for granted, since every other adapter has them.
  const others = ['redirect', 'maxRedirects', 'sensitiveHeaders', 'onEvent']
  const given = others.find((name) => name in options)
  if (given) {
    throw new TypeError(`${given} is not an option here: authInterceptor follows no redirects`)
  }
  const maxReplayBytes = count('maxReplayBytes', options.maxReplayBytes ?? defaultMaxReplayBytes)

  // Only undici 8 gives the second parameter.
  const interceptor = (dispatch: Dispatcher.Dispatch, origin?: string | null): typeof dispatch => {
    const settings = { scheme, exchange, maxReplayBytes, origin, dispatch }
    return (request, handler) =>
      // A tunnel names no resource of the service, and gets no credential.
      request.method === 'CONNECT'
        ? dispatch(request, handler)
        : dispatchAuthorized(settings, request, handler)
  }
  // A dispatch is given, and one of the same kind comes back.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return interceptor as AuthInterceptor
}
