/**
 * Checks an observer that stands in the options.
 *
 * @throws TypeError where it is no function.
 */
export function assertObserver(onEvent: unknown): void {
  if (onEvent !== undefined && typeof onEvent !== 'function') {
    throw new TypeError('onEvent must be a function')
  }
}
