import type { ResponseHead } from '@svc/types'
import type { Dispatcher } from 'undici'
import { drain } from './drain.ts'
import type { Call } from './undici-call.ts'
import { responseHeaders } from './undici-headers.ts'

/** A response whose head is there, and whose rest waits for what becomes of it. */
export interface Answer {
  readonly head: ResponseHead
  /** Gives it to the handler of the call. */
  deliver(): void
  /** Reads it away, so that its connection can serve later requests, or ends it. */
  discard(): void
}

/** Whoever takes what follows the head of a response. */
interface Sink {
  data(chunk: Buffer): void
  end(trailers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>[1]): void
  error(error: Error): void
}

/**
 * The handler of one attempt. Informational responses and upgrades go to the call's own handler at
 * once; a response is held at its head.
 */
export function attemptHandler(
  call: Call,
  settle: { resolve(answer: Answer): void; reject(error: Error): void },
): Dispatcher.DispatchHandler {
  const { controller, handler, signal } = call
  let attempt: Dispatcher.DispatchController | undefined
  let isOver = false
  // A response can go on while it is held up, where the server closes the connection.
  let held: ((sink: Sink) => void)[] = []
  let sink: Sink | undefined
  const give = (event: (sink: Sink) => void): void => {
    if (sink) event(sink)
    else held.push(event)
  }
  const open = (to: Sink): void => {
    sink = to
    for (const event of held) event(to)
    held = []
  }

  const abort = (): void => attempt?.abort(signal.reason)
  signal.addEventListener('abort', abort)

  return {
    onRequestStart(given) {
      attempt = given
      // While it waited for a connection, the caller may have given up.
      if (signal.aborted) abort()
    },
    onRequestUpgrade(given, statusCode, headers, socket) {
      controller.rawHeaders = given.rawHeaders ?? null
      handler.onRequestUpgrade?.(controller, statusCode, headers, socket)
      const head = { status: statusCode, headers: responseHeaders(headers) }
      settle.resolve({ head, deliver: () => {}, discard: () => {} })
    },
    onResponseStart(given, statusCode, headers, statusMessage) {
      const start = (): void => {
        controller.rawHeaders = given.rawHeaders ?? null
        handler.onResponseStart?.(controller, statusCode, headers, statusMessage)
      }
      if (statusCode < 200) {
        start()
        return
      }
      given.pause()
      settle.resolve({
        head: { status: statusCode, headers: responseHeaders(headers) },
        deliver() {
          start()
          open({
            data: (chunk) => handler.onResponseData?.(controller, chunk),
            end(trailers) {
              controller.rawTrailers = given.rawTrailers ?? null
              call.follow(undefined)
              handler.onResponseEnd?.(controller, trailers)
            },
            error: (error) => call.fail(error),
          })
          if (!isOver) call.follow(given)
        },
        discard() {
          const body = new ReadableStream<Uint8Array>({
            start: (stream) =>
              open({
                data: (chunk) => stream.enqueue(chunk),
                end: () => stream.close(),
                error: (error) => stream.error(error),
              }),
            cancel: () => given.abort(new Error('[@svc/auth-hooks] nobody wants this answer')),
          })
          void drain({ body })
          if (!isOver) given.resume()
        },
      })
    },
    onResponseData: (_given, chunk) => give((to) => to.data(chunk)),
    onResponseEnd(_given, trailers) {
      isOver = true
      give((to) => to.end(trailers))
    },
    onResponseError(_given, error) {
      isOver = true
      settle.reject(error)
      give((to) => to.error(error))
    },
    onResponseStarted: () => handler.onResponseStarted?.(),
    onBodySent: (chunk) => handler.onBodySent?.(chunk),
    onRequestSent: () => handler.onRequestSent?.(),
  }
}
