import type { Fault } from './judge.ts'
import { caseText, type OddCase, simplerCases } from './plan.ts'
import { type CaseResult, type Stage, startRunner } from './run-case.ts'

/** A fault that was seen in a process of its own. */
export interface Finding extends Fault {
  /** The simplest case that shows it, as `--case` takes it. */
  readonly text: string
  /** The case in which it was found. */
  readonly foundIn: string
  readonly outcome: string
  /** `true` if the client has the same fault without an adapter of ours. */
  readonly isOfClient: boolean
}

/** Adapters that are given the caller's own values, at once or by their client: no stream ends the process. */
const seesStreams =
  /^(?:fetch|authorize|axios17|axios-(?:http|fetch)|got|undici.-(?:request|stream|pipeline))/

/** Tells if a client may fail a demand where it does so without an adapter of ours, too. */
function mayBeOfClient(
  { adapter }: OddCase,
  demand: Fault['demand'],
  { isAsked, isGiven, faults, outcome }: CaseResult,
): boolean {
  const isFetch = /^(?:fetch|authorize)/.test(adapter)
  if (demand === 'the process lives on') {
    return !seesStreams.test(adapter) || (!isFetch && !isAsked)
  }
  // A `fetch` is given the stream itself, and does not end one whose first byte it waits for.
  if (demand === 'nothing is left' && isFetch) {
    const isTaken = adapter === 'authorize-request' ? outcome.includes('fetch failed') : isGiven
    return isTaken || !faults.some(({ details }) => details.includes('stream'))
  }
  return demandsOnClients.has(demand)
}

/** The demands that a client can fail by itself; what we send is ours alone. */
const demandsOnClients: ReadonlySet<Fault['demand']> = new Set([
  'settles within its time',
  'the process ends by itself',
  'no request is left under way',
  'nothing is left',
  'the body arrives',
])

/**
 * Tells if a fault is the client's own, though it fails otherwise without an adapter of ours.
 *
 * - The `fetch` of undici 7 gives a dispatcher an iterator of a Node stream whose `return` does not end it.
 * - Both listen to a signal until their request is collected, to which an iterator leads that never gives anything,
 *   and undici's `request` listens for ever where its dispatcher throws, as it does where a body cannot be touched.
 * - node-fetch goes on with an upload whose response has come, and ends the process where it redirects.
 */
function isOfLibrary({ adapter, body, service }: OddCase, { demand, details }: Fault): boolean {
  if (adapter.startsWith('undici') && (body === 'generator-never' || body === 'proxy')) {
    return details.endsWith('a listener on the signal')
  }
  if (adapter === 'undici7-fetch' && body.startsWith('node')) return /a Node stream/.test(details)
  const isRedirected = adapter === 'fetch-node-fetch' && service === 'redirect-early'
  return isRedirected && demand === 'no request is left under way'
}

/** Carries out a case in a process of its own, to the end of the process if that is asked for. */
export async function runAlone(
  stage: Stage,
  plan: OddCase,
  { isPlain = false, isToEnd = true } = {},
): Promise<CaseResult> {
  const runner = await startRunner(stage, plan)
  const result = await runner.carryOut(plan, isPlain)
  if (isToEnd && runner.isUsable()) {
    return { ...result, faults: [...result.faults, ...(await runner.finish())] }
  }
  runner.kill()
  return result
}

/** Looks for the same fault in simpler cases, and in the client without an adapter of ours. */
export async function examine(
  stage: Stage,
  plan: OddCase,
  { demand }: Fault,
  isSimplified: boolean,
): Promise<Finding | undefined> {
  const isToEnd = demand.startsWith('the process')
  const find = async (given: OddCase, isPlain = false) => {
    const result = await runAlone(stage, given, { isPlain, isToEnd })
    const fault = result.faults.find((other) => other.demand === demand)
    return fault && { fault, result }
  }
  let found = await find(plan)
  // One that depends on which of two things comes first.
  for (let times = 0; !found && times < 2; times += 1) found = await find(plan)
  if (!found) return undefined
  let simplest = plan
  for (let candidates = isSimplified ? simplerCases(plan) : []; candidates.length > 0;) {
    const simpler = candidates.shift()
    const also = simpler && (await find(simpler))
    if (!also) continue
    simplest = simpler
    found = also
    candidates = simplerCases(simplest)
  }
  const isOfClient =
    isOfLibrary(simplest, found.fault) ||
    (mayBeOfClient(simplest, demand, found.result) && (await find(simplest, true)) !== undefined)
  return {
    ...found.fault,
    outcome: found.result.outcome,
    text: caseText(simplest),
    foundIn: caseText(plan),
    isOfClient,
  }
}
