import { lateArrivals, wrongDeliveries } from './checks/deliveries.ts'
import { leftoversOf, untilEmpty } from './checks/leftovers.ts'
import { wrongLogins } from './checks/logins.ts'
import { type HeapGrowth, growthOf, type Sample, sampleHeap, wrongGrowth } from './checks/memory.ts'
import { wrongOutcomes } from './checks/outcomes.ts'
import { countDescriptors, countResources, grownResources, sumOf } from './checks/resources.ts'
import { createRetention } from './checks/retention.ts'
import { createTally, type Outcomes } from './checks/tally.ts'
import { stillInvalidated, unrestOf } from './checks/unrest.ts'
import { watchProcess } from './checks/watch.ts'
import { revokedSession, type SessionName } from './plan/operation.ts'
import { planRound, type Round } from './plan/plan.ts'
import { isQuiet } from './plan/weather.ts'
import { faultsOf } from './service/faults.ts'
import { performAll } from './traffic/perform-all.ts'
import { readBack } from './traffic/read-back.ts'
import { loginTimeoutMs } from './traffic/sessions.ts'
import { openStage } from './traffic/stage.ts'

/** The result of a soak. */
export interface SoakReport {
  /** Everything that must not be; empty where all is well. */
  readonly wrong: readonly string[]
  readonly rounds: number
  readonly operations: number
  readonly outcomes: Outcomes
  readonly logins: number
  /** The number of times that a store was of no use, so that a session logged in by itself. */
  readonly storeFailures: number
  /** The store through which the sessions of the account `redis` shared their tokens. */
  readonly redis: string
  readonly samples: readonly Sample[]
  readonly growth: HeapGrowth | undefined
  /** The most open files and sockets after a round. */
  readonly descriptors: number
}

/** Enough for two that are quiet, on a machine that is busy too. */
const leastRounds = 8

/** The time for which work may go on after its request, such as a response that is read away. */
const settlingMs = 3000

/** Sends for so many minutes, or until something is wrong. */
export async function soak(seed: number, minutes: number): Promise<SoakReport> {
  const watch = watchProcess()
  const baseline = countResources()
  const descriptorBaseline = countDescriptors()
  const stage = await openStage()
  const { clock, connections, service, sessions, stores } = stage
  const open = countResources()

  const wrong: string[] = []
  const tally = createTally()
  const retention = createRetention()
  const samples: Sample[] = []
  let [operations, logins, storeFailures, descriptors] = [0, 0, 0, 0]
  let failuresBefore = sessions.takeStoreFailures()
  let mayKeepLocks = false
  let before: Round | undefined
  let invalidated: ReadonlySet<SessionName> = new Set()
  const endAt = performance.now() + minutes * 60_000
  let number = 0
  try {
    const isDue = (): boolean => number < leastRounds || performance.now() < endAt
    for (; wrong.length === 0 && isDue(); number += 1) {
      const round = planRound(seed, number)
      clock.advance(round.weather.advanceMs)
      // It has expired. One that follows a token that was refused would be held, as if nothing helped.
      if (isQuiet(number + 1)) await sessions.of(revokedSession).invalidate()
      const aheadMs = clock.aheadMs() + round.weather.serviceAheadMs
      await service.ask({ ask: 'begin', aheadMs, faults: faultsOf(round, service.strayUrl) })
      const results = await performAll(round.operations, stage)
      await connections.setClocks()
      const lost = await readBack(results, service.url, connections.checking)
      // A login that has no response goes on when nobody waits for it any more.
      const limitMs = settlingMs + (round.weather.logins === 'silent' ? loginTimeoutMs : 0)
      const left = await untilEmpty(() => leftoversOf(results, stage, open), limitMs)
      const locks = await untilEmpty(() => stores.leftovers(), settlingMs)
      const { arrivals, issued, strays } = await service.collect()
      retention.watch(results)

      const failures = sessions.takeStoreFailures()
      const unrest = unrestOf(round, before, invalidated, [failures, failuresBefore])
      // A store that was given up works late: a lock is left then, which expires.
      mayKeepLocks = sumOf(failures) > 0 || (mayKeepLocks && locks.length > 0)
      const complaints = [
        ...wrongOutcomes(results, unrest),
        ...wrongDeliveries(results, arrivals),
        ...lateArrivals(arrivals, number, (earlier) => planRound(seed, earlier).operations),
        ...lost,
        ...wrongLogins(unrest, issued),
        ...(strays > 0 ? [`${strays} requests reached another origin`] : []),
        ...left,
        ...retention.wrong(),
        ...(mayKeepLocks ? [] : locks).map((name) => `left in a store: ${name}`),
        ...watch.takeHeard(),
      ]
      wrong.push(...complaints.map((complaint) => `round ${number}: ${complaint}`))
      tally.add(results)
      operations += results.length
      logins += sumOf(issued)
      storeFailures += sumOf(failures)
      descriptors = Math.max(descriptors, sumOf(countDescriptors()))
      samples.push(sampleHeap(operations))
      invalidated = stillInvalidated(invalidated, results)
      before = round
      failuresBefore = failures
    }
  } finally {
    // Whatever happened: a process that goes on would keep this one.
    await stage.close()
  }
  const left = await untilEmpty(
    () => [
      ...grownResources(baseline, countResources()),
      ...grownResources(descriptorBaseline, countDescriptors()),
    ],
    settlingMs,
  )
  const growth = growthOf(samples)
  const complaints = [...wrongGrowth(growth), ...left, ...watch.takeHeard()]
  wrong.push(...complaints.map((complaint) => `at the end: ${complaint}`))
  watch.end()
  const { outcomes } = tally
  const common = { rounds: number, operations, outcomes, logins, storeFailures, descriptors }
  return { wrong, ...common, redis: stores.redis, samples, growth }
}
