/**
 * Waits for a promise no longer than the signal allows: an abort rejects at once with the signal's
 * reason and leaves the promise to itself, so that whoever shares it is not disturbed.
 *
 * @throws `signal.reason` where the signal aborts first, and else what the promise rejects with.
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
