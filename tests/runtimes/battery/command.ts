import process from 'node:process'
import { manyProcesses } from './many-processes.ts'
import { oneProcess } from './one-process.ts'

// Runs the battery on the Node that runs this, and prints what came of each scenario.
const [, , workerFile] = process.argv
if (!workerFile) throw new Error('usage: command <module of a worker>')
const outcomes: string[] = []
for (const { run } of [...oneProcess, ...manyProcesses(workerFile)]) {
  outcomes.push(await run().catch(String))
}
console.log(JSON.stringify(outcomes))
