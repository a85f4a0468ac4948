/** Errors that no promise has, while cases run. */
export interface Uncaught {
  readonly errors: readonly unknown[]
  readonly stop: () => void
}

/** Collects errors that are thrown in the middle of nowhere, but for one of Node's own. */
export function collectUncaught(): Uncaught {
  const errors: unknown[] = []
  process.setUncaughtExceptionCaptureCallback((error) => {
    if (!isDoubleClose(error)) errors.push(error)
  })
  return { errors, stop: () => process.setUncaughtExceptionCaptureCallback(null) }
}

// The bare `fetch` of Node closes the stream that it makes of a generator twice, where the request has failed meanwhile.
function isDoubleClose(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ERR_INVALID_STATE' && /internal\/deps\/undici/.test(error.stack ?? '')
}
