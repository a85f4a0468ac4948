import type { ResponseHead } from '@svc/types'
import type { Dispatcher } from 'undici'
import { drain } from '../kernel/drain.ts'
import { responseHeaders } from './request.ts'

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
  readonly isPaused: () => boolean
  data(chunk: Buffer): void
  end(trailers: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>[1]): void
  error(error: unknown): void
}

/** About what one read of a socket gives: to hold up the connection costs more than to hold that. */
const maxHeldBytes = 64 * 1024

/**
 * The handler of one attempt. Informational responses and upgrades go to the call's own handler at
 * once; what follows the head of a response is held until it is known what becomes of it.
 */
export function attemptHandler(
  call: Call,
  settle: { resolve(answer: Answer): void; reject(error: unknown): void },
): Dispatcher.DispatchHandler {
  const { controller, handler, signal } = call
  let attempt: Dispatcher.DispatchController | undefined
  let isOver = false
  let held: ((sink: Sink) => void)[] = []
  let heldBytes = 0
  let sink: Sink | undefined

  const give = (event: (sink: Sink) => void): void => {
    if (sink && held.length === 0 && !sink.isPaused()) event(sink)
    else held.push(event)
  }
  /** Gives what is held, and lets the rest come. */
  const release = (to: Sink): void => {
    while (held.length > 0 && !to.isPaused()) held.shift()?.(to)
    if (!isOver && !to.isPaused()) attempt?.resume()
  }
  const fail = (error: unknown): void => {
    isOver = true
    settle.reject(error)
    // Also where the sink has paused, and whatever it has not seen.
    held = sink ? [] : [(to) => to.error(error)]
    sink?.error(error)
  }

  call.onEnd(() => {
    attempt?.abort(signal.reason)
    // Nobody else tells while it waits for a connection, or once the whole answer is held.
    if (!isOver || held.length > 0) fail(signal.reason)
  })

  return {
    onRequestStart(given) {
      attempt = given
      // While it waited for a connection, the caller may have given up.
      if (signal.aborted) given.abort(signal.reason)
    },
    onRequestUpgrade(given, statusCode, headers, socket) {
      isOver = true
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
      settle.resolve({
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
          call.follow({ pause: () => given.pause(), resume: () => release(to) })
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
              release(sink)
            },
            cancel: () => given.abort(new Error('[@svc/auth-hooks] this response is not needed')),
          })
          void drain({ body })
        },
      })
    },
    onResponseData(given, chunk) {
      if (!sink) {
        heldBytes += chunk.byteLength
        if (heldBytes >= maxHeldBytes) given.pause()
      }
      give((to) => to.data(chunk))
    },
    onResponseEnd(_given, trailers) {
      isOver = true
      give((to) => to.end(trailers))
    },
    onResponseError: (_given, error) => fail(error),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onBodySent: (chunk) => handler.onBodySent?.(chunk),
    onRequestSent: () => handler.onRequestSent?.(),
  }
}

type Controller = Dispatcher.DispatchController

/** What gives a response, and can be held up. */
export type Source = Pick<Controller, 'pause' | 'resume'>

/** A dispatch of the caller's: one handler and one controller, whatever number of attempts it takes. */
export interface Call {
  readonly handler: Dispatcher.DispatchHandler
  readonly controller: Controller
  /** Aborted where the handler aborts, and where the call fails. */
  readonly signal: AbortSignal
  /** What that ends, until there is another or none: a listener of the signal would cost too much. */
  onEnd(callback: (() => void) | undefined): void
  /** Lets the controller hold up and let go what comes from this source, or from none. */
  follow(source: Source | undefined): void
  /** Ends whatever is under way and tells the handler, once. */
  fail(error: unknown): void
}

/** Opens a call for a handler of undici's. */
export function openCall(handler: Dispatcher.DispatchHandler): Call {
  const ending = new AbortController()
  const { signal } = ending
  let ended: (() => void) | undefined
  const end = (reason: unknown): void => {
    if (signal.aborted) return
    ending.abort(reason)
    ended?.()
  }
  const controller = new CallController(signal, end)
  let hasFailed = false
  return {
    handler,
    controller,
    signal,
    onEnd(callback) {
      ended = callback
    },
    follow: (source) => controller.follow(source),
    fail(error) {
      if (hasFailed) return
      hasFailed = true
      end(error)
      // A caller may abort with any reason, and undici hands it on as it is.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      handler.onResponseError?.(controller, error as Error)
    },
  }
}

// A class: what an object with accessors of its own holds stays until a full collection of garbage.
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
    // Whatever it is, it is what the handler gave as an Error.
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
