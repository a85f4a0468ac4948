/** The time that passes by itself, as a session waits for it. The time of day is the `clock` of its options. */
export interface Timers {
  /** Calls back after so many milliseconds. Returns the function that prevents it. */
  after(ms: number, callback: () => void): () => void
  /** Milliseconds since some instant, also those for which the process was stopped. */
  now(): number
}

/** Whatever of the surroundings only a test replaces. */
export interface Internals {
  readonly timers: Timers
  /** The rounds of PBKDF2 that make the key of a record. */
  readonly sealRounds: number
}

/** Key of the {@link Internals} of a clock, which only tests of this package use: no option has this name. */
export const internalsKey: unique symbol = Symbol.for('svc-auth.internals')

const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  now: () => Date.now(),
}

const defaults: Internals = {
  timers: systemTimers,
  // The most that workerd allows.
  sealRounds: 100_000,
}

/** Returns the internals of a clock. */
export function internalsOf(clock: (() => number) | undefined): Internals {
  const own = clock && (Reflect.get(clock, internalsKey) as Partial<Internals> | undefined)
  return own ? { ...defaults, ...own } : defaults
}

/** Calls back again and again. Returns the function that ends it. */
export function every(timers: Timers, ms: number, callback: () => void): () => void {
  let cancel = (): void => {}
  const wait = (): void => {
    cancel = timers.after(ms, () => {
      wait()
      callback()
    })
  }
  wait()
  return () => cancel()
}

/** Waits, unless the signal aborts. */
export function delay(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      cancel()
      reject(signal.reason)
    }
    const cancel = timers.after(ms, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    signal.addEventListener('abort', abort, { once: true })
  })
}
