import { faultsOf } from './assert-ours.ts'
import { type Case, describeCase } from './case.ts'
import type { Client } from './clients/client.ts'
import { type Aspects, aspectsOf, type Difference, differencesOf } from './compare.ts'
import { observe } from './observe.ts'
import type { RawServers } from './server/raw-server.ts'

/** The outcome of one comparison. */
export interface Comparison {
  readonly client: Client
  readonly one: Case
  readonly differences: readonly Difference[]
  /** What is wrong with our side, whatever the bare client does. */
  readonly faults: readonly string[]
}

/** How many comparisons are under way at a time. */
const atOnce = 24

/** Compares a client with its adapter to the bare one in all cases. */
export async function runCases(
  client: Client,
  cases: readonly Case[],
  servers: RawServers,
): Promise<Comparison[]> {
  const waiting = cases.entries()
  const done: Comparison[] = []
  const work = async (): Promise<void> => {
    for (const [, one] of waiting) done.push(await compare(client, one, servers))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return done
}

/** Compares one case. A difference counts if the bare client does not behave so when it is asked again, either. */
async function compare(client: Client, one: Case, servers: RawServers): Promise<Comparison> {
  const [bare, ours] = await Promise.all([
    observe(client, one, servers, 'bare'),
    observe(client, one, servers, 'ours'),
  ])
  const faults = faultsOf(one, ours)
  const own = aspectsOf(one, ours, servers.origins)
  let differences = differencesOf(aspectsOf(one, bare, servers.origins), own)
  for (let n = 0; n < 4 && differences.length > 0; n += 1) {
    const again = await bareAspects(client, one, servers)
    const fewer = differencesOf(again, own)
    if (fewer.length < differences.length) differences = fewer
  }
  return { client, one, differences, faults }
}

async function bareAspects(client: Client, one: Case, servers: RawServers): Promise<Aspects> {
  return aspectsOf(one, await observe(client, one, servers, 'bare'), servers.origins)
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
