import type { LoginFault } from './fault.ts'
import { createRandom } from './random.ts'

/** The conditions of a whole round. */
export interface Weather {
  /** The time by which all clocks go on before the round. */
  readonly advanceMs: number
  /** The time by which the service's clock is ahead of all others. */
  readonly serviceAheadMs: number
  readonly logins: LoginFault
  /** The number of logins that meet that. */
  readonly loginFaults: number
}

const minuteMs = 60_000

/** A round of each four begins with good tokens and the right time, and has to do without any trouble. */
export function isQuiet(round: number): boolean {
  return round % 4 === 3
}

/** The weather of a round. */
export function planWeather(seed: number, round: number): Weather {
  const random = createRandom(seed, 1, round)
  if (isQuiet(round)) return { advanceMs: 0, serviceAheadMs: 0, logins: 'none', loginFaults: 0 }
  const isBeforeQuiet = isQuiet(round + 1)
  return {
    // Longer than any pause of a login; before a quiet round, longer than any token lives.
    advanceMs: (isBeforeQuiet || random.chance(0.5) ? 61 : random.whole(17, 50)) * minuteMs,
    serviceAheadMs: !isBeforeQuiet && random.chance(0.2) ? random.whole(20, 40) * minuteMs : 0,
    logins:
      isBeforeQuiet || random.chance(0.4)
        ? 'none'
        : random.weighted<LoginFault>({
            none: 0,
            slow: 2,
            refused: 2,
            forbidden: 1,
            throttled: 2,
            busy: 2,
            broken: 1,
            dropped: 2,
            redirected: 1,
            'not json': 1,
            'no token': 1,
            'bad token': 1,
            'too large': 1,
            silent: 0.4,
          }),
    loginFaults: random.whole(1, 3),
  }
}
