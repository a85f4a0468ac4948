import type { Timers } from '../../timers.ts'
import type { WebLocks } from './platform.ts'

/** Frees a Web Lock of this tab. Resolves once others can take it. */
export type Release = () => Promise<void>

/**
 * Takes a Web Lock. Resolves to `undefined` if another tab has it.
 *
 * @param onLost - Called if another tab steals it.
 * @see https://w3c.github.io/web-locks/#dom-lockmanager-request
 */
export function takeLock(
  locks: WebLocks,
  name: string,
  options: LockOptions,
  onLost: () => void,
): Promise<Release | undefined> {
  return new Promise((resolve, reject) => {
    const ended: Promise<unknown> = locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined)
      return new Promise<void>((release) => {
        resolve(async () => {
          release()
          await ended.catch(() => {})
        })
      })
    })
    ended.catch((error: unknown) => {
      onLost()
      reject(error)
    })
  })
}

/** The time for which a lock of milliseconds is waited for: a tab that has it for longer is frozen. */
const longestWaitMs = 1000

/**
 * Runs a short action that no other tab runs at the same time.
 *
 * @param action - Gets a function that tells if the action was held up, so that another tab may have stolen its turn.
 */
export async function runAlone<Result>(
  locks: WebLocks,
  name: string,
  timers: Timers,
  action: (wasHeldUp: () => boolean) => Promise<Result>,
): Promise<Result> {
  const waiting = new AbortController()
  const run = async (): Promise<Result> => {
    end()
    const startedAt = timers.now()
    return action(() => timers.now() - startedAt > longestWaitMs / 2)
  }
  const end = timers.after(longestWaitMs, () => waiting.abort())
  try {
    return await locks.request(name, { signal: waiting.signal }, run)
  } catch (error) {
    if (!waiting.signal.aborted) throw error
    return locks.request(name, { steal: true }, run)
  } finally {
    end()
  }
}
