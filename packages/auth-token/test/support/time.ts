import { internalsKey, type Timers } from '../testing.ts'

/** Makes the keys of records cheap, which here guard nothing. */
export function withCheapSeals<Clock extends () => number>(clock: Clock, timers?: Timers): Clock {
  return Object.assign(clock, { [internalsKey]: { sealRounds: 1, ...(timers && { timers }) } })
}

/** A time of day that a test turns, while timers run as they do. */
export function turnedTime(now = Date.now()): { now: number; readonly clock: () => number } {
  const time = { now, clock: withCheapSeals((): number => time.now) }
  return time
}

/** A time that passes only when a test lets it, for the clock of a session and for its timers. */
export function manualTime(startedAt = 1_800_000_000_000) {
  /** The time of day, which a test may set, too. */
  const clockTime = { now: startedAt }
  const waiting = new Set<{ readonly at: number; readonly callback: () => void }>()
  const time = { now: startedAt }
  const timers: Timers = {
    after(ms, callback) {
      const timer = { at: time.now + ms, callback }
      waiting.add(timer)
      return () => void waiting.delete(timer)
    },
    now: () => time.now,
  }
  const clock = withCheapSeals(() => clockTime.now, timers)
  /** Leaves time to everything that is under way in memory, or on a socket of this process. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  const pass = (ms: number): void => {
    time.now += ms
    clockTime.now += ms
  }
  const advance = async (ms: number): Promise<void> => {
    const until = time.now + ms
    await settle()
    for (;;) {
      const [next] = [...waiting].sort((a, b) => a.at - b.at)
      if (!next || next.at > until) break
      waiting.delete(next)
      pass(next.at - time.now)
      next.callback()
      await settle()
    }
    pass(until - time.now)
    await settle()
  }
  return {
    clock,
    timers,
    /** The time of day. Setting it lets no time pass for what waits. */
    get now() {
      return clockTime.now
    },
    set now(now) {
      clockTime.now = now
    },
    /** The number of those who wait. */
    get waiting() {
      return waiting.size
    },
    /** Waits as a server or a store does that is slow. */
    delay: (ms: number): Promise<void> => new Promise((resolve) => void timers.after(ms, resolve)),
    /** Lets as much time pass as something takes that waits for nothing else but time. */
    async run<Result>(promise: Promise<Result>): Promise<Result> {
      const state = { isOver: false }
      const over = (): void => void (state.isOver = true)
      promise.then(over, over)
      while (!state.isOver) {
        await advance(50)
        // What is on a socket takes some real time, too.
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      return promise
    },
    /** Lets time pass, and everything happen that is due meanwhile, one after the other. */
    advance,
  }
}
