import type { Dispatcher } from 'undici'
import { untilAborted } from '../kit/async.ts'
import { openBody } from '../kernel/upload.ts'
import { exchange, type Transport } from '../kernel/exchange.ts'
import type { ExchangeSettings } from '../kernel/options.ts'
import { type Answer, attemptHandler } from './handlers.ts'
import { type Call, openCall } from './undici-call.ts'
import { currentHandler } from './legacy-handler.ts'
import {
  readDispatch,
  type ReadSettings,
  type UndiciRequest,
  wireOptions,
} from './request.ts'

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
    const request = read instanceof Promise ? await untilAborted(read, signal) : read
    const { answer } = await exchange(settings.scheme, settings.exchange, transport, request)
    signal.throwIfAborted()
    answer.deliver()
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
      const stream = body && openBody(body, call.signal).stream
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
    head: (answer) => answer.head,
    discard: (answer) => answer.discard(),
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
