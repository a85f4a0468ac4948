import { timeCalls, type TimingEffort } from '../measure/time-calls.ts'
import type { SigningCase } from './case.ts'
import type { Contender, PreparedContender, Role, SentRequest } from './contender.ts'

/** The performance of one contender with one request. */
export interface SigningPerformance {
  readonly contender: string
  readonly role: Role
  /** The time of one signature in microseconds, by round; empty if it fails. */
  readonly rounds: readonly number[]
  /** The request that it would send, to be verified. */
  readonly sent?: SentRequest
  /** The error if it signs nothing. */
  readonly error?: string
}

/** The performances of all contenders with one request. */
export interface Contest {
  readonly case: string
  readonly performances: readonly SigningPerformance[]
}

/** Lets contenders sign the same request in turn. */
export async function runContest(
  given: SigningCase,
  contenders: readonly Contender[],
  effort: TimingEffort,
  now: () => number,
): Promise<Contest> {
  const taking = contenders.filter(({ takes }) => takes?.(given) ?? true)
  const entries = await Promise.all(taking.map((contender) => enter(contender, given)))
  const ready = entries.flatMap(({ prepared }) => (prepared ? [prepared] : []))
  const rounds = await timeCalls(
    ready.map(({ sign }) => sign),
    effort,
    now,
  )
  const performances: SigningPerformance[] = []
  for (const { prepared, ...entry } of entries) {
    const its = prepared && rounds[ready.indexOf(prepared)]
    performances.push({ ...entry, rounds: its ?? [] })
  }
  return { case: given.name, performances }
}

type Entry = Omit<SigningPerformance, 'rounds'> & { readonly prepared?: PreparedContender }

async function enter(contender: Contender, given: SigningCase): Promise<Entry> {
  const { name, role } = contender
  try {
    const prepared = await contender.prepare(given)
    const sent = await prepared.sent?.()
    return { contender: name, role, prepared, ...(sent && { sent }) }
  } catch (error) {
    return { contender: name, role, error: String(error) }
  }
}
