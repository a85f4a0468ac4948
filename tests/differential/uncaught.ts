/** Errors that no call ends with, while cases run. */
export interface Uncaught {
  readonly errors: readonly unknown[]
  /** Gives the listeners back that were there before. */
  readonly stop: () => void
}

const events = ['uncaughtException', 'unhandledRejection'] as const

/** Collects errors that are thrown outside of any call, but for one that bare clients run into. */
export function collectUncaught(): Uncaught {
  const errors: unknown[] = []
  const collect = (error: unknown): void => {
    if (!isFaultOfNode(error)) errors.push(error)
  }
  // The listeners of the test runner would fail the run for the bare clients.
  const before = events.map((event) => process.rawListeners(event))
  for (const event of events) process.removeAllListeners(event).on(event, collect)
  return {
    errors,
    stop() {
      for (const [index, event] of events.entries()) {
        process.removeAllListeners(event)
        for (const listener of before[index] ?? []) process.on(event, listener as () => void)
      }
    },
  }
}

/**
 * The `fetch` of Node goes on with the stream that it has made of a generator or a form after the request has
 * failed. Adapters hand it neither: only bare `fetch`, ky and got were seen with this.
 */
function isFaultOfNode(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'ERR_INVALID_STATE' && /internal\/deps\/undici/.test(error.stack ?? '')
}
