/**
 * Authenticates requests of undici 7 and 8, and of Node's `fetch` with a `dispatcher`. Needs
 * `undici`.
 *
 * @module @svc/auth-hooks/undici
 */

import type { AuthScheme } from '@svc/types'
import type { Dispatcher } from 'undici'
import { exchange, type Transport } from '../kernel/exchange.ts'
import { checkCount, type ExchangeSettings, readExchangeOptions } from '../kernel/options.ts'
import { defaultMaxReplayBytes } from '../kernel/request.ts'
import { toUploadStream } from '../kernel/upload.ts'
import { abortable, isThenable } from '../kit/async.ts'
import { check, checkOptions } from '../kit/checks.ts'
import { type Answer, attemptHandler, type Call, openCall } from './handlers.ts'
import { currentHandler } from './legacy-handler.ts'
import { readDispatch, type ReadSettings, type UndiciRequest, wireOptions } from './request.ts'

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
  const caller = '[@svc/auth-hooks] authInterceptor'
  const exchange = readExchangeOptions(scheme, {}, caller)
  checkOptions(options, caller)
  // Whoever gives one would take it for granted, since every other adapter has them.
  const others = ['redirect', 'maxRedirects', 'sensitiveHeaders', 'onEvent']
  const given = others.find((name) => name in options)
  check(!given, caller, `${given} is not an option here: authInterceptor follows no redirects`)
  const { maxReplayBytes = defaultMaxReplayBytes } = options
  checkCount(maxReplayBytes, caller, 'maxReplayBytes')

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

/** What one interceptor knows of all its dispatches. */
export interface DispatchSettings extends ReadSettings {
  readonly exchange: ExchangeSettings
  /** The dispatcher, or what is composed inside. */
  readonly dispatch: Dispatcher.Dispatch
}

/** Dispatches a request once for every attempt, and lets its handler see the last one alone. */
export function dispatchAuthorized(
  settings: DispatchSettings,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): boolean {
  const call = openCall(currentHandler(handler))
  const { transport, hasRoom } = dispatcherTransport(settings.dispatch, call)
  void run(settings, options, call, transport)
  return hasRoom()
}

async function run(
  settings: DispatchSettings,
  options: Dispatcher.DispatchOptions,
  call: Call,
  transport: Transport<UndiciRequest, Answer>,
): Promise<void> {
  const { handler, controller, signal } = call
  try {
    // At once, since this is how a handler comes by what it aborts with.
    handler.onRequestStart?.(controller, null)
    signal.throwIfAborted()
    const read = readDispatch(options, settings, signal)
    const request = isThenable(read) ? await abortable(read, signal) : read
    const { response } = await exchange(settings.scheme, settings.exchange, transport, request)
    signal.throwIfAborted()
    response.deliver()
  } catch (error) {
    call.fail(error)
  }
}

function dispatcherTransport(
  dispatch: Dispatcher.Dispatch,
  call: Call,
): { transport: Transport<UndiciRequest, Answer>; hasRoom: () => boolean } {
  let room = true
  const transport: Transport<UndiciRequest, Answer> = {
    heedsSignal: true,
    send(request, authorization) {
      const body = authorization?.body
      // An abort ends its source too, and so does every failure.
      const stream = body && toUploadStream(body, call.signal).stream
      const wire = wireOptions(request, authorization, stream)
      return new Promise((resolve, reject) => {
        const handler = attemptHandler(call, { resolve, reject })
        try {
          room = dispatch(wire, handler)
        } catch (error) {
          throw asUnsupported(error)
        }
      })
    },
    responseHead: (response) => response.head,
    discard: (response) => response.discard(),
    // Never asked for: each hop is a dispatch of its own.
    redirected: (request) => request,
  }
  return { transport, hasRoom: () => room }
}

/** Later majors tell a handler what is wrong; undici 6 throws, since it does not take the handler. */
function asUnsupported(error: unknown): unknown {
  const isRefused =
    error instanceof Error && 'code' in error && error.code === 'UND_ERR_INVALID_ARG'
  if (!isRefused) return error
  return new TypeError('[@svc/auth-hooks] authInterceptor needs undici 7 or 8', { cause: error })
}
