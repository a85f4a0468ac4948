/** A value, or a promise of one. */
export type MaybePromise<T> = T | Promise<T>

/** Tells if a value has a `then`: a promise of this realm, of another, or of a library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  // Any value but these two has properties.
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Calls `next` with a value, or with that of a promise: at once if it is none, so that a synchronous path stays so. */
export function chain<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  // oxlint-disable-next-line promise/no-callback-in-promise -- `next` is the rest of the caller
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value)
}

/** Throws the reason of a signal that is aborted. An `AbortSignal` of a package may have no reason. */
export function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortReason(signal)
}

function abortReason({ reason }: AbortSignal): unknown {
  return reason === undefined ? abortError('This operation was aborted') : reason
}

/** Returns an `AbortError` as an `Error` of that name: React Native has no `DOMException`. */
export function abortError(message: string): Error {
  return Object.assign(new Error(message), { name: 'AbortError' })
}

/**
 * Calls back one turn of the event loop later, in which what has arrived is read. After a process was
 * stopped its timers come first: a deadline that decided at once would overlook a response that is there.
 */
export function nextTurn(callback: () => void): void {
  // In Node, a further timer may run before anything is read.
  const { setImmediate: schedule = setTimeout } = globalThis as {
    readonly setImmediate?: (callback: () => void) => unknown
  }
  schedule(callback)
}

/**
 * Waits for a promise or an abort. An abort rejects immediately with the signal's reason and leaves
 * the promise running, so that others who share it are not affected. A `TimeoutError`, as that of
 * `AbortSignal.timeout`, leaves one more turn of the event loop to what has arrived.
 *
 * @throws `signal.reason` if the signal aborts first, otherwise the reason of the promise.
 * @example
 * import { abortable } from '@svc/auth-hooks/scheme'
 *
 * declare const sharedLogin: Promise<string>
 * console.log(await abortable(sharedLogin, AbortSignal.timeout(5000)))
 * @see https://dom.spec.whatwg.org/#abortcontroller-api-integration
 */
export function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  const own = Promise.resolve(promise)
  if (!signal) return own
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(abortReason(signal))
    if (signal.aborted) abort()
    const aborted = (): void => {
      const { name } = Object(signal.reason)
      if (name === 'TimeoutError') nextTurn(abort)
      else abort()
    }
    signal.addEventListener('abort', aborted, { once: true })
    const release = (): void => signal.removeEventListener('abort', aborted)
    void own.then(resolve, reject).then(release)
  })
}

/**
 * Returns a function that runs `run` once for all who ask while it is under way. After `overdueMs`
 * the next one runs it anew: in workerd a promise never settles once the request that made it is gone.
 *
 * @param run - Gets the number of this run, which tells an overdue one from its successor.
 */
export function singleFlight<T>(
  run: (order: number) => Promise<T>,
  overdueMs: number,
  clock: () => number,
): () => Promise<T> {
  let pending: { readonly promise: Promise<T>; readonly startedAt: number } | undefined
  let order = 0
  return () => {
    if (pending && clock() - pending.startedAt < overdueMs) return pending.promise
    const own = (order += 1)
    const promise = run(own).finally(() => {
      if (own === order) pending = undefined
    })
    pending = { promise, startedAt: clock() }
    return promise
  }
}

/** Returns a signal of our own that aborts with the one of the caller, or before. `release` lets go of the caller's. */
export function followSignal(given: AbortSignal | undefined): {
  readonly signal: AbortSignal
  readonly abort: (reason?: unknown) => void
  readonly release: () => void
} {
  const controller = new AbortController()
  const follow = (): void => controller.abort(given?.reason)
  if (given?.aborted) follow()
  given?.addEventListener('abort', follow)
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    release: () => given?.removeEventListener('abort', follow),
  }
}
