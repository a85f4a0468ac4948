import type { Dispatcher } from 'undici'

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
