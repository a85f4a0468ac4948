import process from 'node:process'
import { openStage } from '../security/odd-inputs/run-case.ts'
import { findingText, searchOddInputs, tryCase } from '../security/odd-inputs/search.ts'
import { markdownTable } from '../support/markdown-table.ts'
import type { SoakCommand } from './command.ts'

/** Gives the adapters odd inputs for some minutes, or one of them. The status is 1 after a finding. */
export async function runInputs({ kind, seed, minutes, text }: SoakCommand): Promise<void> {
  process.exitCode = 1
  const stage = await openStage()
  try {
    if (kind === 'case') {
      const findings = await tryCase(stage, text)
      for (const finding of findings) console.log(`${markOf(finding)} ${findingText(finding)}`)
      if (findings.every(({ isOfClient }) => isOfClient)) process.exitCode = 0
      return
    }
    console.log(`odd inputs --seed ${seed} --inputs ${minutes}`)
    const settings = { stage, seed, limitMs: minutes * 60_000, isSimplified: true }
    const report = await searchOddInputs({ ...settings, onProgress: (line) => console.log(line) })
    const { cases, findings, ofClients, once, outcomes } = report
    const rows = Object.entries(outcomes)
      .toSorted(([, left], [, right]) => right - left)
      .map(([outcome, count]) => [outcome, String(count)])
    console.log(`\n${markdownTable([['outcome', 'times'], ...rows])}\n`)
    for (const line of once) console.log(`seen once: ${line}`)
    // Those of clients stand above.
    for (const finding of findings) console.log(`✗ ${findingText(finding)}`)
    console.log(
      `${cases} cases of seed ${seed}: ${findings.length} findings, ` +
        `${ofClients.length} faults of clients, ${once.length} seen once`,
    )
    if (findings.length === 0) process.exitCode = 0
  } finally {
    await stage.close()
    console.log(process.exitCode === 0 ? 'all is well' : 'not all is well')
  }
}

function markOf({ isOfClient }: { readonly isOfClient: boolean }): string {
  return isOfClient ? 'of the client:' : '✗'
}
