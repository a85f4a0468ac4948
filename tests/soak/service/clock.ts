/** The time of everyone but the service, which can be set on. */
export interface Clock {
  readonly now: () => number
  /** The milliseconds by which it is ahead of the time. */
  readonly aheadMs: () => number
  advance(byMs: number): void
}

/** A clock that tells the time until it is set on. */
export function createClock(): Clock {
  let aheadMs = 0
  return {
    now: () => Date.now() + aheadMs,
    aheadMs: () => aheadMs,
    advance(byMs) {
      aheadMs += byMs
    },
  }
}
