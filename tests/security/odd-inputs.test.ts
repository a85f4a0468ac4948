import { afterAll, describe, expect, test, vi } from 'vitest'
import { runAlone } from './odd-inputs/examine.ts'
import { atNight, isNightly } from '../support/nightly.ts'
import type { Demand } from './odd-inputs/judge.ts'
import { killers } from './odd-inputs/killers.ts'
import { caseText, parseCase, planCase } from './odd-inputs/plan.ts'
import { openStage } from './odd-inputs/run-case.ts'
import { findingText, searchOddInputs, tryCase } from './odd-inputs/search.ts'

// Most of the time of a process is the second that it must live on.
vi.setConfig({ maxConcurrency: 12, testTimeout: 180_000 })
const stage = await openStage()
afterAll(() => stage.close())

const past = killers.map(parseCase)

describe
  .runIf(isNightly)
  .concurrent('in a process of its own, an odd input ends in a response or an error:', () => {
    test.each(killers)('%s', async (text) => {
      const findings = await tryCase(stage, text)
      expect(findings.filter(({ isOfClient }) => !isOfClient).map(findingText)).toEqual([])
    })
  })

test.concurrent(
  'an odd input ends in a response or an error, after others in the same process',
  { timeout: 240_000 },
  async () => {
    // Each that once was a fault, and some that a seed chooses.
    const mostCases = past.length + atNight(80, 5)
    const { cases, findings } = await searchOddInputs({
      stage,
      seed: 15,
      limitMs: 200_000,
      mostCases,
      isSimplified: false,
      change: (plan, number) => past[number] ?? plan,
    })
    expect(findings.map(findingText)).toEqual([])
    expect(cases).toBe(mostCases)
  },
)

describe.concurrent('a demand is not met by an adapter that', () => {
  const broken: [fault: string, demand: Demand, text: string][] = [
    ['sends no credential', 'every request has its credential', 'adapter=broken-bare'],
    ['sends half of it', 'every request has its credential', 'adapter=broken-half'],
    [
      'sends it elsewhere',
      'no credential goes elsewhere',
      'adapter=broken-redirect service=redirect-stray',
    ],
    ['sends a surplus', 'a surplus is no request', 'adapter=broken-surplus'],
    ['replays for ever', 'attempts are bounded', 'adapter=broken-replay'],
    ['sends another body', 'the body arrives', 'adapter=broken-body body=text'],
    [
      'goes its own way',
      'the transport of the caller is used',
      'adapter=broken-way transport=guard',
    ],
    ['sends a login elsewhere', 'the login goes to its place alone', 'adapter=broken-login'],
    ['never settles', 'settles within its time', 'adapter=broken-hang'],
    ['keeps the processor', 'settles within its time', 'adapter=broken-loop'],
    ['throws later', 'the process lives on', 'adapter=broken-death'],
    ['leaves a rejection', 'the process lives on', 'adapter=broken-rejection'],
    ['leaves a file open', 'nothing is left', 'adapter=broken-descriptor'],
    ['listens on to the signal', 'nothing is left', 'adapter=broken-listener signal=never'],
    ['listens on to the process', 'nothing is left', 'adapter=broken-process-listener'],
    ['leaves a timer', 'nothing is left', 'adapter=broken-timer'],
    ['leaves a stream open', 'nothing is left', 'adapter=broken-stream body=web'],
    [
      'leaves a request under way',
      'no request is left under way',
      'adapter=broken-request service=silent signal=never',
    ],
  ]
  // By day the three that say if the rest can be seen: a process that lives, one that hangs and one that dies.
  const byDay = broken.filter(([, , text]) => /-(?:redirect|hang|death)/.test(text))
  test.each(atNight(broken, byDay))('%s', async (_fault, demand, text) => {
    const { faults } = await runAlone(stage, parseCase(text))
    expect(faults.map((fault) => fault.demand)).toContain(demand)
  })
})

test
  .runIf(isNightly)
  .concurrent('a search finds an adapter that dies, and names the case', async () => {
    const { findings } = await searchOddInputs({
      stage,
      seed: 1,
      limitMs: 30_000,
      mostCases: 1,
      isSimplified: false,
      change: (plan) => ({ ...plan, adapter: 'broken-death', scheme: 'own' }),
    })
    expect(findings).toMatchObject([{ demand: 'the process lives on' }])
    expect(findings[0]?.text).toContain('adapter=broken-death')
  })

test('a case follows from the seed and its number, and from its text', () => {
  for (let number = 0; number < 500; number += 1) {
    const plan = planCase(7, number)
    expect(planCase(7, number)).toEqual(plan)
    expect(parseCase(caseText(plan))).toEqual(plan)
  }
  expect(() => parseCase('adapter=fetch body=nonsense')).toThrow('--case has no body')
})
