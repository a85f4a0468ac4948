/** Key of the timers of a clock. */
const internalsKey = Symbol.for('svc-auth.internals')

/** A time that passes only by waiting, at once: each wait is noted. */
export interface InstantTime {
  readonly clock: () => number
  /** The waits, in milliseconds. */
  readonly waits: number[]
  /** The number of timers that are set and neither due nor ended. */
  readonly pending: () => number
}

/** @param onWait - Called when a timer is set; returns `false` to keep it from being due. */
export function instantTime(onWait: (ms: number) => unknown = () => {}, now = 0): InstantTime {
  const waits: number[] = []
  const pending = new Set<() => void>()
  const state = { now }
  const timers = {
    after(ms: number, callback: () => void): () => void {
      waits.push(ms)
      pending.add(callback)
      if (onWait(ms) !== false) {
        queueMicrotask(() => {
          if (!pending.delete(callback)) return
          state.now += ms
          callback()
        })
      }
      return () => void pending.delete(callback)
    },
  }
  const clock = Object.assign(() => state.now, { [internalsKey]: { timers } })
  return { clock, waits, pending: () => pending.size }
}
