import type { Dispatcher } from 'undici'

export type Controller = Dispatcher.DispatchController

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
