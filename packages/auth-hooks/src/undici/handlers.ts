import type { ResponseHead } from '@svc/types'
import type { Dispatcher } from 'undici'
import { drain } from '../kernel/drain.ts'
import { AuthError } from '../kit/errors.ts'
import { responseHeaders } from './headers.ts'

/** A response whose head is there, and whose rest waits until it is delivered or discarded. */
export interface DispatchResponse {
  readonly head: ResponseHead
  /** Gives it to the handler of the call. */
  deliver(): void
  /** Reads it away, so that its connection can serve later requests, or ends it. */
  discard(): void
}

/** A reader of the rest of a response. */
interface Sink {
  readonly isPaused: () => boolean
  data(chunk: Buffer): void
  end(trailers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>[1]): void
  error(error: unknown): void
}

/** The most that is queued of a body: one read of a socket gives as much, and to pause it costs more. */
const maxQueuedBytes = 64 * 1024

/**
 * Returns the handler of one attempt. Informational responses and upgrades go to the call's own handler
 * at once; the rest of a response is queued until it is delivered or discarded.
 *
 * @param isOnce - `true` if the body is a stream, which can be sent once.
 */
export function attemptHandler(
  call: DispatchCall,
  isOnce: boolean,
  resolve: (response: DispatchResponse) => void,
  reject: (error: unknown) => void,
): Dispatcher.DispatchHandler {
  const { controller, handler, signal } = call
  let attempt: Controller | undefined
  let isOver = false
  let queue: ((sink: Sink) => void)[] = []
  let queuedBytes = 0
  let sink: Sink | undefined

  const pass = (event: (sink: Sink) => void): void => {
    if (sink && queue.length === 0 && !sink.isPaused()) event(sink)
    else queue.push(event)
  }
  /** Passes the queue on, and lets the rest come. */
  const flush = (to: Sink): void => {
    while (queue.length > 0 && !to.isPaused()) queue.shift()?.(to)
    if (!isOver && !to.isPaused()) attempt?.resume()
  }
  const fail = (error: unknown): void => {
    isOver = true
    reject(error)
    // Even if the sink has paused, and whatever it has not seen.
    queue = sink ? [] : [(to) => to.error(error)]
    sink?.error(error)
  }

  call.onEnd(() => {
    attempt?.abort(signal.reason)
    // Nobody else tells while it waits for a connection, or once the whole response is queued.
    if (!isOver || queue.length > 0) fail(signal.reason)
  })

  return {
    onRequestStart(given) {
      // A second start is that of a retry inside. A stream would be sent without its beginning, or hang over HTTP/2.
      if (attempt && isOnce) given.abort(sentAgainError())
      attempt = given
      // While it waited for a connection, the caller may have given up.
      if (signal.aborted) given.abort(signal.reason)
    },
    onRequestUpgrade(given, statusCode, headers, socket) {
      isOver = true
      controller.rawHeaders = given.rawHeaders ?? null
      handler.onRequestUpgrade?.(controller, statusCode, headers, socket)
      const head = { status: statusCode, headers: responseHeaders(headers) }
      resolve({ head, deliver: () => {}, discard: () => {} })
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
      resolve({
        head: { status: statusCode, headers: responseHeaders(headers) },
        deliver() {
          start()
          const to: Sink = {
            isPaused: () => controller.paused,
            data: (chunk) => handler.onResponseData?.(controller, chunk),
            end(trailers) {
              controller.rawTrailers = given.rawTrailers ?? null
              // Whoever keeps the controller keeps nothing else.
              call.onEnd(undefined)
              call.follow(undefined)
              handler.onResponseEnd?.(controller, trailers)
            },
            error: (error) => call.fail(error),
          }
          sink = to
          call.follow({ pause: () => given.pause(), resume: () => flush(to) })
        },
        discard() {
          const body = new ReadableStream<Uint8Array>({
            start(stream) {
              sink = {
                isPaused: () => false,
                data: (chunk) => stream.enqueue(chunk),
                end: () => stream.close(),
                error: (error) => stream.error(error),
              }
              flush(sink)
            },
            cancel: () => given.abort(new Error('[@svc/auth-hooks] this response is not needed')),
          })
          void drain({ body })
        },
      })
    },
    onResponseData(given, chunk) {
      if (!sink) {
        queuedBytes += chunk.byteLength
        if (queuedBytes >= maxQueuedBytes) given.pause()
      }
      pass((to) => to.data(chunk))
    },
    onResponseEnd(_given, trailers) {
      isOver = true
      pass((to) => to.end(trailers))
    },
    onResponseError: (_given, error) => fail(error),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onBodySent: (chunk) => handler.onBodySent?.(chunk),
    onRequestSent: () => handler.onRequestSent?.(),
  }
}

function sentAgainError(): AuthError {
  return new AuthError(
    'ERR_AUTH_BODY',
    '[@svc/auth-hooks] authInterceptor: the connection broke off, and a retry inside of it cannot send a stream ' +
      'again; compose authInterceptor before interceptors.retry',
  )
}

type Controller = Dispatcher.DispatchController

/** A source of response data that can be held up. */
type Source = Pick<Controller, 'pause' | 'resume'>

/** A dispatch of the caller's: one handler and one controller, whatever number of attempts it takes. */
export interface DispatchCall {
  readonly handler: Dispatcher.DispatchHandler
  readonly controller: Controller
  /** Aborted when the handler aborts, and when the call fails. */
  readonly signal: AbortSignal
  /** Sets the one listener of the signal's abort, or none: an event listener would cost too much. */
  onEnd(callback: (() => void) | undefined): void
  /** Lets the controller hold up this source and let it go, or none. */
  follow(source: Source | undefined): void
  /** Ends the attempt that is under way and tells the handler, once. */
  fail(error: unknown): void
}

/** Starts a call for a handler of undici's. */
export function startDispatchCall(handler: Dispatcher.DispatchHandler): DispatchCall {
  const ending = new AbortController()
  const { signal } = ending
  let onEnd: (() => void) | undefined
  const end = (reason: unknown): void => {
    if (signal.aborted) return
    ending.abort(reason)
    onEnd?.()
  }
  const controller = new CallController(signal, end)
  let hasFailed = false
  return {
    handler,
    controller,
    signal,
    onEnd(callback) {
      onEnd = callback
    },
    follow: (source) => controller.follow(source),
    fail(error) {
      if (hasFailed) return
      hasFailed = true
      end(error)
      // Whoever fails may give any reason, which undici passes on as it is; one that is nothing is no error to it.
      const reason = error || new Error('[@svc/auth-hooks] the request failed without a reason')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      handler.onResponseError?.(controller, reason as Error)
    },
  }
}

// A class: the closures of an object with accessors stay until a full collection of garbage.
class CallController implements Controller {
  rawHeaders: NonNullable<Controller['rawHeaders']> | null = null
  rawTrailers: NonNullable<Controller['rawTrailers']> | null = null
  readonly #signal: AbortSignal
  readonly #end: (reason: Error) => void
  #source: Source | undefined
  #isPaused = false
  #isAborted = false

  constructor(signal: AbortSignal, end: (reason: Error) => void) {
    this.#signal = signal
    this.#end = end
  }

  get aborted(): boolean {
    return this.#isAborted
  }

  get reason(): Error | null {
    // Whatever it is, the handler gave it as an Error.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    return this.#isAborted ? (this.#signal.reason as Error) : null
  }

  get paused(): boolean {
    return this.#isPaused
  }

  abort(reason: Error): void {
    this.#isAborted = true
    this.#end(reason)
  }

  pause(): void {
    this.#isPaused = true
    this.#source?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#source?.resume()
  }

  follow(source: Source | undefined): void {
    this.#source = source
    if (this.#isPaused) source?.pause()
    else source?.resume()
  }
}
