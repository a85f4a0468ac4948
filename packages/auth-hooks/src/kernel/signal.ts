/** A signal of our own that follows the one of the caller. */
export interface FollowingSignal {
  readonly signal: AbortSignal
  readonly abort: (reason?: unknown) => void
  /** Lets go of the signal of the caller. */
  readonly release: () => void
}

/** Returns a signal that aborts with the one of the caller, or before. */
export function followSignal(given: AbortSignal | undefined): FollowingSignal {
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
