import { parseArgs } from 'node:util'
import { type Effort, fullEffort, quickEffort } from './effort.ts'
import { type TopicName, topicNames } from './topics.ts'

/** The help text of `pnpm bench`. */
export const benchUsage: string = `pnpm bench [--quick] [topic …]

  topics    ${topicNames.join(', ')}; by default all
  --quick   fewer rounds, for a first look at a change

A full run of all topics writes benchmarks/results; any other writes benchmarks/dist/results.
`

/** The effort and the topics that the command line asks for. */
export interface BenchCommand {
  readonly effort: Effort
  readonly names: readonly TopicName[]
  /** `true` if this run writes the published page. */
  readonly isWhole: boolean
}

/**
 * Reads the arguments of `pnpm bench`.
 *
 * @throws TypeError if one is wrong.
 */
export function readBenchCommand(args: readonly string[]): BenchCommand {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  })
  const wrong = positionals.find((name) => !topicNames.some((known) => known === name))
  if (wrong !== undefined) throw new TypeError(`there is no topic ${wrong}`)
  const names = topicNames.filter((name) => positionals.length === 0 || positionals.includes(name))
  return {
    effort: values.quick ? quickEffort : fullEffort,
    names,
    isWhole: !values.quick && names.length === topicNames.length,
  }
}
