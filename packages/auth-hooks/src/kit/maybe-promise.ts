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
