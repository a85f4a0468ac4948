import process from 'node:process'
import { batteryColumns } from './columns.ts'

// Runs the battery on the Node that runs this, and prints what came of each scenario.
const [, , workerFile] = process.argv
if (!workerFile) throw new Error('usage: command <module of a worker>')
const outcomes: string[] = []
for (const { run } of batteryColumns(workerFile).flatMap(({ scenarios }) => scenarios)) {
  outcomes.push(await run().catch(String))
}
console.log(JSON.stringify(outcomes))
