import { runCommand } from '../support/run-command.ts'
import { runInputs } from './inputs.ts'
import { type SoakCommand, readSoakCommand, soakUsage } from './command.ts'
import { soak } from './soak.ts'
import { summaryOf } from './summary.ts'

async function run(command: SoakCommand): Promise<void> {
  await (command.kind === 'traffic' ? runTraffic(command) : runInputs(command))
}

async function runTraffic({ seed, minutes }: SoakCommand): Promise<void> {
  const again = `--seed ${seed} --minutes ${minutes}`
  console.log(`soak ${again}`)
  process.exitCode = 1
  try {
    const report = await soak(seed, minutes)
    console.log(`\n${summaryOf(report)}\n`)
    for (const complaint of report.wrong) console.log(`✗ ${complaint}`)
    if (report.wrong.length === 0) process.exitCode = 0
  } catch (error) {
    // Not thrown, since what watches the process would take it.
    console.log(error)
  } finally {
    console.log(process.exitCode === 0 ? 'all is well' : `again: pnpm soak ${again}`)
  }
}

await runCommand(readSoakCommand, soakUsage, run)
