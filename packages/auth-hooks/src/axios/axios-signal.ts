/**
 * A signal that is aborted with a copy of the reason. axios writes the request onto an error of its
 * own that it finds there, and the caller may hold that error already.
 */
export function withOwnReason(signal: AbortSignal): AbortSignal {
  const controller = new AbortController()
  const abort = (): void => controller.abort(copyOf(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return controller.signal
}

function copyOf(reason: unknown): unknown {
  if (!(reason instanceof Error) || !('isAxiosError' in reason)) return reason
  const copy = Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(reason))
  return Object.setPrototypeOf(copy, Object.getPrototypeOf(reason))
}
