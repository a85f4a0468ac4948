import type { AcceptedDifference } from './accepted/row.ts'
import { faultsOf } from './assert-ours.ts'
import { type Case, describeCase } from './case.ts'
import type { Client } from './clients/client.ts'
import { type Aspects, aspectsOf, type Difference, differencesOf } from './compare.ts'
import { judge, rowsFor, yardstickOf } from './judge.ts'
import { type Observation, observe } from './observe.ts'
import type { RawServers } from './server/raw-server.ts'

/** The outcome of one comparison. */
export interface Comparison {
  readonly client: Client
  readonly one: Case
  readonly differences: readonly Difference[]
  /** The accepted differences that occurred. */
  readonly rows: readonly AcceptedDifference[]
  /** What is wrong with our side, whatever the bare client does. */
  readonly faults: readonly string[]
}

/** Compares a client with its adapter to the bare one in all cases, some of them at a time. */
export async function runCases(
  client: Client,
  cases: readonly Case[],
  servers: RawServers,
  atOnce = 24,
): Promise<Comparison[]> {
  const waiting = cases.entries()
  const done: Comparison[] = []
  const work = async (): Promise<void> => {
    for (const [, one] of waiting) done.push(await compare(client, one, servers))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return done
}

/** Compares one case. What differs counts only if the bare client does not do the same when it is asked again. */
async function compare(client: Client, one: Case, servers: RawServers): Promise<Comparison> {
  const aspects = async (side: 'ours' | 'bare', given: Case): Promise<Observed> => {
    const seen = await observe(client, given, servers, side)
    return { seen, aspects: aspectsOf(given, seen, servers.origins) }
  }
  const [bare, ours] = await Promise.all([aspects('bare', one), aspects('ours', one)])
  const faults = faultsOf(one, ours.seen)
  if (differencesOf(bare.aspects, ours.aspects).length === 0) {
    return { client, one, faults, differences: [], rows: [] }
  }
  const rows = rowsFor(client, one)
  let best = judge(bare.aspects, ours.aspects, rows)
  if (best.differences.length === 0) return { client, one, faults, ...best }
  const yardstick = yardstickOf(one, rows)
  for (let n = 0; n < 4 && best.differences.length > 0; n += 1) {
    const again = await aspects('bare', yardstick.other)
    const next = judge(again.aspects, ours.aspects, rows)
    if (next.differences.length >= best.differences.length) continue
    best = { differences: next.differences, rows: [...yardstick.rows, ...next.rows] }
  }
  return { client, one, faults, ...best }
}

interface Observed {
  readonly seen: Observation
  readonly aspects: Aspects
}

/** Returns the comparisons that are not as they should be. */
export function wrongOf(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.filter(({ differences, faults }) => differences.length + faults.length > 0)
}

/** A comparison as a message of some lines. */
export function describeComparison({ one, differences, faults }: Comparison): string {
  return [
    describeCase(one),
    ...faults.map((fault) => `  fault: ${fault}`),
    ...differences.map(({ aspect, bare, ours }) =>
      [`  ${aspect}`, `    bare: ${short(bare)}`, `    ours: ${short(ours)}`].join('\n'),
    ),
  ].join('\n')
}

function short(text: string): string {
  const line = text.replaceAll('\r', '\\r').replaceAll('\n', ' ⏎ ')
  return line.length > 400 ? `${line.slice(0, 400)} …` : line
}
