import { fileURLToPath } from 'node:url'
import { runCommand } from '../../tests/support/run-command.ts'
import { type BenchCommand, benchUsage, readBenchCommand } from './command.ts'
import { readEnvironment } from './environment.ts'
import type { MeasuredResults } from './measured-results.ts'
import { duration } from './report/figures.ts'
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
  for (const name of names) {
    // Each topic knows the type of its own result.
    const topic = topics[name] as Topic<unknown>
    note(topic.title)
    results[name] = await topic.run(effort, note)
    sections.push({ title: topic.title, markdown: topic.section(results[name]) })
  }
  const data = fileURLToPath(new URL('../dist/results', import.meta.url))
  const page = isWhole ? fileURLToPath(new URL('../results', import.meta.url)) : data
  const elapsedMs = performance.now() - startedAt
  // Put there by the topics of these names.
  const measured = results as MeasuredResults
  const what = { environment, effort, elapsedMs, results: measured, sections }
  console.log(await writeResults({ page, data }, what))
  note(`written to ${page}, after ${duration(elapsedMs)}`)
}

await runCommand(readBenchCommand, benchUsage, run)
