/**
 * Authenticates requests of undici 7 and 8, and of Node's `fetch` with a `dispatcher`. Needs
 * `undici`.
 *
 * @module @svc/auth-hooks/undici
 */

import type { AuthScheme } from '@svc/types'
import type { Dispatcher } from 'undici'
import { exchange, type Transport } from '../kernel/exchange.ts'
import {
  checkCount,
  defaultMaxReplayBytes,
  exchangeNames,
  type ExchangeSettings,
  readExchangeOptions,
} from '../kernel/options.ts'
import { releaseStream } from '../kernel/stream.ts'
import { toUploadStream } from '../kernel/upload.ts'
import { abortable, assertNotAborted, isThenable } from '../kit/async.ts'
import { checkOptions } from '../kit/checks.ts'
import { AttemptHandler, type DispatchResponse } from './attempt-handler.ts'
import { DispatchCall } from './dispatch-call.ts'
import { currentHandler } from './legacy-handler.ts'
import {
  dispatchOptions,
  guardDispatch,
  readDispatch,
  type ReadDispatchSettings,
  type UndiciRequest,
} from './request.ts'

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
 * An interceptor as `compose` accepts it in undici 7 and undici 8, whose types differ.
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
 * URL, and is rejected if the scheme does not cover that URL. `setGlobalDispatcher` takes the composed agent too:
 * it then serves Node's own `fetch`, and every URL that the scheme does not cover is rejected in the whole process.
 *
 * The errors of `interceptors.responseError` are made outside of it, and without XML: give `diagnose` the response.
 *
 * @throws TypeError at construction, if an option is wrong; the message names it.
 * @throws AuthError from the request: `ERR_AUTH_ORIGIN`, `ERR_AUTH_URL`, `ERR_AUTH_HEADER`,
 * `ERR_AUTH_BODY`, and the errors of the scheme. `fetch` makes it the `cause` of its own error.
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
  const { settings: exchangeSettings } = readExchangeOptions(scheme, {}, caller, exchangeNames)
  // Every other adapter has the options of redirects, so that they would be taken for granted.
  const { maxReplayBytes = defaultMaxReplayBytes } = checkOptions(
    options,
    caller,
    { maxReplayBytes: '' },
    '; it follows no redirects, and a base URL goes to the dispatcher',
  )
  checkCount(maxReplayBytes, caller, 'maxReplayBytes')

  // Only undici 8 gives the second parameter.
  const interceptor = (dispatch: Dispatcher.Dispatch, origin?: string | null): typeof dispatch => {
    const settings = { scheme, exchangeSettings, maxReplayBytes, origin, dispatch }
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

/** Settings that all dispatches of one interceptor share. */
interface DispatchSettings extends ReadDispatchSettings {
  readonly exchangeSettings: ExchangeSettings
  /** The dispatcher, or the interceptor inside of this one. */
  readonly dispatch: Dispatcher.Dispatch
}

/** Dispatches a request once for every attempt, and lets its handler see the last one alone. */
function dispatchAuthorized(
  settings: DispatchSettings,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): boolean {
  const call = new DispatchCall(currentHandler(handler))
  let hasRoom = true
  void runCall(settings, options, call, {
    heedsSignal: true,
    send(request, authorization) {
      const body = authorization?.body
      // An abort ends its source too, and so does every failure.
      const stream = body && toUploadStream(body, call.signal).stream
      const isOnce = stream !== undefined || request.body?.replayable === false
      return new Promise((resolve, reject) => {
        const attempt = new AttemptHandler(call, isOnce, resolve, reject)
        try {
          hasRoom = settings.dispatch(dispatchOptions(request, authorization, stream), attempt)
        } catch (error) {
          throw explainUnsupported(error)
        }
      })
    },
    responseHead: (response) => response.head,
    discard: (response) => response.discard(),
    // Never asked for: each hop is a dispatch of its own.
    redirected: (request) => request,
  })
  return hasRoom
}

async function runCall(
  settings: DispatchSettings,
  options: Dispatcher.DispatchOptions,
  call: DispatchCall,
  transport: Transport<UndiciRequest, DispatchResponse>,
): Promise<void> {
  const { scheme, exchangeSettings } = settings
  const { handler, signal } = call
  let guarded = options
  try {
    guarded = guardDispatch(options)
    // At once, since a handler aborts by this controller.
    handler.onRequestStart?.(call, null)
    assertNotAborted(signal)
    const read = readDispatch(guarded, settings, signal)
    const request = isThenable(read) ? await abortable(read, signal) : read
    const response = await exchange(scheme, exchangeSettings, transport, request)
    assertNotAborted(signal)
    response.deliver()
  } catch (error) {
    // It has no reader any more.
    releaseStream(guarded.body, error)
    call.fail(error)
  }
}

/** Names the reason: undici 6 throws, since it does not take the handler. Later majors tell the handler. */
function explainUnsupported(error: unknown): unknown {
  const { code } = Object(error)
  if (code !== 'UND_ERR_INVALID_ARG') return error
  return new TypeError(
    '[@svc/auth-hooks] authInterceptor: it works with undici 7 and 8, and this dispatcher is of an older ' +
      "one, perhaps of the one in Node; compose an Agent of undici's package",
    { cause: error },
  )
}
