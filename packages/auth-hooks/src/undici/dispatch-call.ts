import type { Dispatcher } from 'undici'

export type Controller = Dispatcher.DispatchController

/** A source of response data that can be held up. */
type Source = Pick<Controller, 'pause' | 'resume'>

/**
 * A dispatch of the caller's: one handler, and one controller, which is the call itself, whatever number of attempts it
 * takes.
 */
export class DispatchCall implements Controller {
  rawHeaders: NonNullable<Controller['rawHeaders']> | null = null
  rawTrailers: NonNullable<Controller['rawTrailers']> | null = null
  aborted = false
  paused = false
  reason: Error | null = null
  readonly handler: Dispatcher.DispatchHandler
  readonly #ending = new AbortController()
  /** Aborted when the handler aborts, and when the call fails. */
  readonly signal: AbortSignal = this.#ending.signal
  #onEnd: (() => void) | undefined
  #source: Source | undefined
  #hasFailed = false

  constructor(handler: Dispatcher.DispatchHandler) {
    this.handler = handler
  }

  abort(reason: Error): void {
    this.aborted = true
    // Another failure may have come first.
    this.reason = this.signal.aborted ? this.signal.reason : reason
    this.#end(reason)
  }

  pause(): void {
    this.paused = true
    this.#source?.pause()
  }

  resume(): void {
    this.paused = false
    this.#source?.resume()
  }

  /** Sets the one listener of the signal's abort, or none: an event listener would cost too much. */
  onEnd(callback: (() => void) | undefined): void {
    this.#onEnd = callback
  }

  /** Lets the controller hold up this source and let it go, or none. */
  follow(source: Source | undefined): void {
    this.#source = source
    if (this.paused) source?.pause()
    else source?.resume()
  }

  /** Ends the attempt that is under way and tells the handler, once. */
  fail(error: unknown): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#end(error)
    // A failure may have any reason, which undici passes on as it is; to it, an empty one is no error.
    const reason = error || new Error('[@svc/auth-hooks] the request failed without a reason')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
    this.handler.onResponseError?.(this, reason as Error)
  }

  #end(reason: unknown): void {
    if (this.signal.aborted) return
    this.#ending.abort(reason)
    this.#onEnd?.()
  }
}
