/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value at once where it is there, so that a synchronous path stays synchronous. */
export function whenReady<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  // oxlint-disable-next-line promise/no-callback-in-promise -- `next` is the rest of the caller
  return value instanceof Promise ? value.then(next) : next(value)
}
