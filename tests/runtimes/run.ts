import { parseArgs } from 'node:util'
import { writeCompatibility } from '../support/compatibility-page.ts'
import { runAll, type RuntimeResult, type RuntimeRun } from './run-all.ts'
import { clientRuntimeTable } from './client-table.ts'
import { runtimeTable } from './table.ts'

// Runs the checks in every runtime. With --write their table goes into docs/compatibility.md, unless a
// runtime is missing.
const { values } = parseArgs({ options: { write: { type: 'boolean' } } })
const isRequired = process.env['REQUIRE_SERVICES'] === '1'

/** Prints a line for a runtime, and one more for each check that failed in it. */
function print(result: RuntimeResult): void {
  const { name } = result
  const line = (version: string, outcome: string): void => {
    console.log(`${name.padEnd(47)}  ${version.padEnd(13)}  ${outcome}`)
  }
  if ('skipped' in result) {
    line('', `skipped: ${result.skipped}`)
    return
  }
  const { version, elapsedMs, checks } = result
  const of = (outcome: string): string =>
    `${checks.filter((check) => check.outcome === outcome).length} ${outcome}`
  const elapsed = `${elapsedMs} ms`.padStart(8)
  line(version, `${of('passed')}, ${of('refused')}, ${of('failed')}  ${elapsed}`)
  for (const check of checks) {
    if (check.outcome === 'failed') console.log(`  ✗ ${check.name}: ${check.error}`)
  }
}

function isGood(result: RuntimeResult): boolean {
  if ('skipped' in result) return !isRequired
  return result.checks.every(({ outcome }) => outcome !== 'failed')
}

function isRun(result: RuntimeResult): result is RuntimeRun {
  return !('skipped' in result)
}

const results = await runAll(print)
const runs = results.filter(isRun)
if (!results.every(isGood)) {
  process.exitCode = 1
} else if (values.write && runs.length === results.length) {
  const table = runtimeTable(runs)
  console.log(`\n${table}`)
  await writeCompatibility('runtimes', table)
  await writeCompatibility('client-runtimes', clientRuntimeTable(runs))
}
