// Its main module imports modules of Bun, which a bundler for browsers does not find.
import { measure } from 'mitata/src/lib.mjs'
import { inRounds } from './in-rounds.ts'

/** The extent of a measurement. */
export interface TimingEffort {
  readonly rounds: number
  /** The approximate time for which each contender is measured in a round. */
  readonly roundMs: number
  /** The time for which it is called before that. */
  readonly warmUpMs: number
}

const samplesPerRound = 12

/**
 * Measures the mean time of a call of each function, in microseconds, by round. A promise is awaited.
 *
 * @param now - The clock, in nanoseconds.
 */
export async function timeCalls(
  calls: readonly (() => unknown)[],
  { rounds, roundMs, warmUpMs }: TimingEffort,
  now: () => number,
): Promise<number[][]> {
  const contenders: { call: () => unknown; callsPerSample: number }[] = []
  for (const call of calls) {
    await callFor(call, warmUpMs, now)
    const callsPerMs = (await callFor(call, 20, now)) / 20
    const callsPerSample = Math.max(1, Math.round((callsPerMs * roundMs) / samplesPerRound))
    contenders.push({ call, callsPerSample })
  }
  const times = await inRounds(contenders, rounds + 1, async ({ call, callsPerSample }) => {
    // Not measured: threads whose time counts still collect the garbage of the contender before.
    await callFor(call, roundMs, now)
    const { avg } = await measure(call, {
      now,
      min_samples: samplesPerRound,
      max_samples: samplesPerRound,
      // Always in batches of this size, however slow the first call is.
      warmup_threshold: Infinity,
      batch_threshold: Infinity,
      batch_samples: callsPerSample,
      batch_unroll: 1,
      // It would allocate a gibibyte if a runtime does not expose its collector.
      gc: false,
    })
    return avg / 1000
  })
  // The first round meets the garbage and the compilers of all for the first time.
  return times.map((itsTimes) => itsTimes.slice(1))
}

/** Calls a function for some time, so that it is compiled; returns the number of calls. */
async function callFor(
  call: () => unknown,
  durationMs: number,
  now: () => number,
): Promise<number> {
  const end = now() + durationMs * 1e6
  let calls = 0
  do {
    await call()
    calls += 1
  } while (now() < end)
  return calls
}
