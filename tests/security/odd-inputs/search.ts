import { availableParallelism } from 'node:os'
import { examine, type Finding, runAlone } from './examine.ts'
import type { Fault } from './judge.ts'
import { caseText, oddParts, type OddCase, parseCase, planCase } from './plan.ts'
import { type Runner, type Stage, startRunner } from './run-case.ts'

/** The result of a search. */
export interface SearchReport {
  readonly cases: number
  /** The cases by how they ended. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
  /** Faults of clients that are the same without an adapter of ours. */
  readonly ofClients: readonly Finding[]
  /** Faults that were seen once, and not again in a process of their own. */
  readonly once: readonly string[]
}

/** The settings of a search. */
export interface SearchSettings {
  readonly stage: Stage
  readonly seed: number
  /** The time after which no other case is begun. */
  readonly limitMs: number
  readonly mostCases?: number
  /** `true` if the simplest case of each finding is looked for. */
  readonly isSimplified: boolean
  /** Changes the cases, for a look at one adapter, say. The first one has number 0. */
  readonly change?: (plan: OddCase, number: number) => OddCase
  readonly onProgress?: (line: string) => void
}

/** The cases that one process serves. */
const casesOfProcess = 150

/** Carries out the cases that follow from a seed, some at a time. */
export async function searchOddInputs(settings: SearchSettings): Promise<SearchReport> {
  const {
    stage,
    seed,
    limitMs,
    mostCases = Infinity,
    change = (plan) => plan,
    onProgress,
  } = settings
  const findings: Finding[] = []
  const ofClients: Finding[] = []
  const once: string[] = []
  const outcomes: Record<string, number> = {}
  const endAt = performance.now() + limitMs
  let cases = 0

  /** Returns the next case, or `undefined` if it is time to end. */
  const next = (): readonly [number: number, plan: OddCase] | undefined => {
    if (performance.now() > endAt || cases >= mostCases) return undefined
    const number = cases
    cases += 1
    return [number, change(planCase(seed, number), number)]
  }
  const note = async (at: string, plan: OddCase, fault: Fault): Promise<boolean> => {
    const known = [...findings, ...ofClients].find((finding) => isOfKind(plan, fault, finding))
    if (known) return true
    const finding = await examine(stage, plan, fault, settings.isSimplified)
    if (!finding) return false
    const list = finding.isOfClient ? ofClients : findings
    if (
      [...findings, ...ofClients].every(
        ({ demand, text }) => demand !== fault.demand || text !== finding.text,
      )
    ) {
      list.push(finding)
      onProgress?.(`${finding.isOfClient ? 'client' : '✗'} ${at}: ${findingText(finding)}`)
    }
    return true
  }
  const lane = async (): Promise<void> => {
    let served: { at: string; plan: OddCase }[] = []
    let runner: Runner | undefined
    const retire = async (): Promise<void> => {
      const faults = (await runner?.finish()) ?? []
      runner = undefined
      for (const fault of faults) await blame(fault, served)
      served = []
    }
    /** Finds the case after which a process died. */
    const blame = async (fault: Fault, candidates: typeof served): Promise<void> => {
      for (const { at, plan } of candidates.slice(-12).toReversed()) {
        if (await note(at, plan, fault)) return
      }
      const texts = candidates.slice(-12).map(({ plan }) => caseText(plan))
      once.push(`${fault.demand}: ${fault.details}, after one of:\n    ${texts.join('\n    ')}`)
    }
    for (let planned = next(); planned; planned = next()) {
      const [index, plan] = planned
      const at = `seed ${seed} case ${index}`
      const isAlone = plan.world !== 'plain'
      if (isAlone || served.length >= casesOfProcess) await retire()
      runner ??= await startRunner(stage, plan)
      served.push({ at, plan })
      const { faults, outcome } = await runner.carryOut(plan)
      const kind = outcome.replace(/:.*/s, '')
      outcomes[kind] = (outcomes[kind] ?? 0) + 1
      for (const fault of faults) {
        // A process that died may have died of an earlier case.
        if (fault.demand === 'the process lives on') await blame(fault, served)
        else if (!(await note(at, plan, fault))) {
          once.push(`${fault.demand}: ${fault.details}, ${at}: ${caseText(plan)}`)
        }
      }
      if (!runner.isUsable()) {
        runner.kill()
        runner = undefined
        served = []
      } else if (isAlone) await retire()
    }
    await retire()
  }
  const progress = setInterval(() => {
    onProgress?.(`${cases} cases, ${findings.length} findings`)
  }, 30_000)
  try {
    await Promise.all(Array.from({ length: availableParallelism() + 2 }, lane))
  } finally {
    clearInterval(progress)
  }
  return { cases, outcomes, findings, ofClients, once }
}

/** Carries out one case alone, and says all that is to say of it. */
export async function tryCase(stage: Stage, text: string): Promise<readonly Finding[]> {
  const plan = parseCase(text)
  const { faults } = await runAlone(stage, plan)
  const found = await Promise.all(faults.map((fault) => examine(stage, plan, fault, false)))
  return found.filter((finding) => finding !== undefined)
}

/** Tells if a case has everything of another one that is known, and the same fault. */
function isOfKind(plan: OddCase, { demand }: Fault, known: Finding): boolean {
  if (demand !== known.demand) return false
  const other = parseCase(known.text)
  return (
    other.adapter === plan.adapter && oddParts(other).every((name) => other[name] === plan[name])
  )
}

/** A finding as a person wants to read it. */
export function findingText(finding: Finding): string {
  const { demand, details, text, foundIn, outcome } = finding
  return [
    `${demand}: ${details}`,
    `    --case '${text}'`,
    ...(foundIn === text ? [] : [`    found in '${foundIn}'`]),
    `    the call: ${outcome}`,
  ].join('\n')
}
