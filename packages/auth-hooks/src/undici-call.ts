import type { Dispatcher } from 'undici'

/** A dispatch of the caller's: one handler and one controller, whatever number of attempts it takes. */
export interface Call {
  readonly handler: Dispatcher.DispatchHandler
  readonly controller: Dispatcher.DispatchController
  /** Aborted where the handler aborts, and where the call fails. */
  readonly signal: AbortSignal
  /** Lets the controller hold up and let go what comes from this attempt, or from none. */
  follow(attempt: Dispatcher.DispatchController | undefined): void
  /** Ends whatever is under way and tells the handler, once. */
  fail(error: unknown): void
}

/** Opens a call for a handler of undici's. */
export function openCall(handler: Dispatcher.DispatchHandler): Call {
  const ending = new AbortController()
  const { signal } = ending
  let followed: Dispatcher.DispatchController | undefined
  let isPaused = false
  let isAborted = false
  let hasFailed = false

  const controller: Dispatcher.DispatchController = {
    rawHeaders: null,
    rawTrailers: null,
    get aborted() {
      return isAborted
    },
    get reason() {
      // Whatever it is, it is what the handler gave as an Error.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      return isAborted ? (signal.reason as Error) : null
    },
    get paused() {
      return isPaused
    },
    abort(reason) {
      isAborted = true
      ending.abort(reason)
    },
    pause() {
      isPaused = true
      followed?.pause()
    },
    resume() {
      isPaused = false
      followed?.resume()
    },
  }
  return {
    handler,
    controller,
    signal,
    follow(attempt) {
      followed = attempt
      if (!isPaused) attempt?.resume()
    },
    fail(error) {
      if (hasFailed) return
      hasFailed = true
      ending.abort(error)
      // A caller may abort with any reason, and undici hands it on as it is.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
      handler.onResponseError?.(controller, error as Error)
    },
  }
}
