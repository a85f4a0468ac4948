import type { Dispatcher } from 'undici'

export type Controller = Dispatcher.DispatchController

/** A source of response data that can be held up. */
type Source = Pick<Controller, 'pause' | 'resume'>

/** A dispatch of the caller's: one handler and one controller, whatever number of attempts it takes. */
export class DispatchCall {
  readonly handler: Dispatcher.DispatchHandler
  readonly controller: CallController
  /** The one listener of the signal's abort, or none: an event listener would cost too much. */
  onEnd: (() => void) | undefined
  /** `false` once a dispatcher has no room for more requests. */
  hasRoom = true
  readonly #ending = new AbortController()
  #hasFailed = false

  constructor(handler: Dispatcher.DispatchHandler) {
    this.handler = handler
    this.controller = new CallController(this.signal, (reason) => this.#end(reason))
  }

  /** Aborted when the handler aborts, and when the call fails. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Ends the attempt that is under way and tells the handler, once. */
  fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#end(error)
    // undici passes any reason on as it is; one that is nothing is no error to it.
    const reason = error || new Error('[@svc/auth-hooks] the request failed without a reason')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    this.handler.onResponseError?.(this.controller, reason as Error)
  }

  #end(reason: unknown): void {
    if (this.signal.aborted) return
    this.#ending.abort(reason)
    this.onEnd?.()
  }
}

// A class: the closures of an object with accessors stay until a full collection of garbage.
export class CallController implements Controller {
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

  /** Holds up this source and lets it go, or none. */
  follow(source: Source | undefined): void {
    this.#source = source
    if (this.#isPaused) source?.pause()
    else source?.resume()
  }
}
