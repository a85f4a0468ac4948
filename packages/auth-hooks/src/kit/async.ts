/**
 * Waits for a promise or an abort. An abort rejects immediately with the signal's reason and leaves
 * the promise running, so that nobody who shares it is affected.
 *
 * @throws `signal.reason` if the signal aborts first, otherwise what the promise rejects with.
 * @example
 * import { untilAborted } from '@svc/auth-hooks/scheme'
 *
 * declare const sharedLogin: Promise<string>
 * console.log(await untilAborted(sharedLogin, AbortSignal.timeout(5000)))
 * @see https://dom.spec.whatwg.org/#abortcontroller-api-integration
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) {
      promise.catch(() => {})
      abort()
      return
    }
    signal.addEventListener('abort', abort, { once: true })
    const settled = (): void => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(settled)
  })
}

/**
 * A value, or a promise of one.
 *
 * @template T - The type of the value.
 */
export type MaybePromise<T> = T | Promise<T>

/**
 * Calls `next` with a value: immediately if it is not a promise, so that a synchronous path stays
 * synchronous.
 *
 * @throws What `next` throws if the value is not a promise; otherwise the returned promise rejects.
 * @example
 * import { type MaybePromise, whenReady } from '@svc/auth-hooks/scheme'
 *
 * const key: MaybePromise<string> = 'a key'
 * console.log(whenReady(key, (value) => value.length)) // 5
 */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  // oxlint-disable-next-line promise/no-callback-in-promise -- `next` is the rest of the caller
  return value instanceof Promise ? value.then(next) : next(value)
}
