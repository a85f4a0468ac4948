import { fileURLToPath } from 'node:url'
import { runCommand } from '../../tests/support/run-command.ts'
import { type BenchCommand, benchUsage, readBenchCommand } from './command.ts'
import { readEnvironment } from './environment.ts'
import type { MeasuredResults } from './measured-results.ts'
import type { Topic } from './topic.ts'
import { type TopicName, topics } from './topics.ts'
import { type TitledSection, writeResults } from './write-results.ts'

async function run({ effort, names, isWhole }: BenchCommand): Promise<void> {
  const startedAt = performance.now()
  const note = (text: string): void => {
    console.error(`${Math.round((performance.now() - startedAt) / 1000)} s`.padStart(6), text)
  }
  const environment = await readEnvironment()
  const results: Partial<Record<TopicName, unknown>> = {}
  const sections: TitledSection[] = []
  const take = async <Result>(topic: Topic<Result>, name: TopicName): Promise<void> => {
    note(topic.title)
    const result = await topic.run(effort, note)
    results[name] = result
    sections.push({ title: topic.title, ...topic.section(result) })
  }
  for (const name of names) {
    // Each topic knows the type of its own result.
    await take(topics[name] as Topic<unknown>, name)
  }
  const data = fileURLToPath(new URL('../dist/results', import.meta.url))
  const page = isWhole ? fileURLToPath(new URL('../results', import.meta.url)) : data
  // Put there by the topics of these names.
  const measured = results as MeasuredResults
  console.log(await writeResults({ page, data }, environment, effort, measured, sections))
  note(`written to ${page}`)
}

await runCommand(readBenchCommand, benchUsage, run)
