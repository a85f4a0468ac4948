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
