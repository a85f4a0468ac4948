import { abortable } from '@svc/auth-hooks/scheme'
import { every, startDeadline, type Timers } from './timers.ts'

/** Work that is under way once for all who wait for it. */
export interface Run<Result> {
  readonly promise: Promise<Result>
  /**
   * Waits for the result. In workerd, work ends unsettled with the request that began it: work that gives no sign of
   * life for two seconds is dead.
   *
   * @param again - Begins it anew once it is dead, or finds the run of those who did.
   * @throws the reason of the signal if that aborts first.
   */
  join(again: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
}

/** The interval of the signs of life, in milliseconds. */
const signMs = 1000

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
  let signs = 0
  const endSigns = every(timers, signMs, () => {
    signs += 1
    onSign?.()
  })
  const promise = Promise.resolve().then(work).finally(endSigns)
  return {
    promise,
    join(again, signal) {
      let endWatch = (): void => {}
      const joined = new Promise<Result>((resolve, reject) => {
        const watch = (lastSign: number): void => {
          endWatch = startDeadline(timers, 2 * signMs, () => {
            if (signs > lastSign) watch(signs)
            else again().then(resolve, reject)
          })
        }
        watch(signs)
        promise.then(resolve, reject)
      })
      // A watch that goes on would keep a process from ending.
      return abortable(joined, signal).finally(() => endWatch())
    },
  }
}
