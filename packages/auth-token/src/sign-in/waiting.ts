import { abortable } from '@svc/auth-hooks/scheme'
import type { Timers } from '../timers.ts'

/** Waits so many milliseconds, or until an abort. No timer is left. */
export async function pause(
  timers: Timers,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let cancel = (): void => {}
  const passed = new Promise<void>((resolve) => void (cancel = timers.after(ms, resolve)))
  await abortable(passed, signal).finally(cancel)
}

/** Runs an action with a signal that follows all that are given, and that aborts once the action is over. */
export async function following<Result>(
  signals: readonly (AbortSignal | undefined)[],
  action: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const followed = signals.flatMap((signal) => {
    if (!signal) return []
    const follow = (): void => controller.abort(signal.reason)
    if (signal.aborted) follow()
    signal.addEventListener('abort', follow)
    return [() => signal.removeEventListener('abort', follow)]
  })
  try {
    return await action(controller.signal)
  } finally {
    for (const release of followed) release()
    controller.abort()
  }
}
