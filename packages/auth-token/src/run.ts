import { abortable } from '@svc/auth-hooks/scheme'
import { startLife } from './deadline.ts'
import type { Timers } from './timers.ts'

/** Work that is under way once for all who wait for it. */
export interface Run<Result> {
  readonly promise: Promise<Result>
  /**
   * Waits for the result. In workerd, work ends unsettled with the request that began it.
   *
   * @param again - Begins it anew once it is dead, or finds whoever did.
   * @throws the reason of the signal if that aborts first.
   */
  join(again: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
  /** Lets a process end although the work goes on. */
  release(): void
}

/**
 * Begins work in a microtask, so that work which asks for itself finds this run of it.
 *
 * @param onSign - Called each second while it lasts.
 */
export function startRun<Result>(
  timers: Timers,
  work: () => Promise<Result> | Result,
  onSign?: () => void,
): Run<Result> {
  const life = startLife(timers, onSign)
  const promise = Promise.resolve()
    .then(work)
    .finally(() => life.end())
  return {
    promise,
    join(again, signal) {
      let endWatch = (): void => {}
      const joined = new Promise<Result>((resolve, reject) => {
        endWatch = life.watch(() => again().then(resolve, reject))
        promise.then(resolve, reject)
      })
      // Whoever leaves must not go on watching: that would keep a process from ending.
      return abortable(joined, signal).finally(() => endWatch())
    },
    release: () => life.end(),
  }
}
