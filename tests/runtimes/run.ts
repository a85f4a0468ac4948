import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { betweenMarks } from '../support/markdown-table.ts'
import { runAll, type RuntimeResult, type RuntimeRun } from './run-all.ts'
import { runtimeTable } from './table.ts'

// Runs the checks in every runtime. With --write their table goes into docs/compatibility.md, and with
// --check it is compared; where a runtime is missing there is no table.
const { values } = parseArgs({
  options: { write: { type: 'boolean' }, check: { type: 'boolean' } },
})
const page = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url))
const isRequired = process.env['REQUIRE_SERVICES'] === '1'

/** Prints a line for a runtime, and one more for each check that failed in it. */
function print(result: RuntimeResult): void {
  const { name } = result
  const line = (version: string, outcome: string): void => {
    console.log(`${name.padEnd(10)}  ${version.padEnd(13)}  ${outcome}`)
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

/** Tells if the page has this table, and writes it there if that is asked for. */
async function isTabled(table: string): Promise<boolean> {
  const before = await readFile(page, 'utf8')
  const after = betweenMarks(before, '<!-- matrix:runtimes -->', '<!-- /matrix:runtimes -->', table)
  if (values.write) await writeFile(page, after)
  if (values.write || after === before) return true
  console.log('The table in docs/compatibility.md is not that of the runtimes: pnpm matrix')
  return false
}

const results = await runAll(print)
let areGood = results.every(isGood)
const runs = results.filter(isRun)
if (areGood && runs.length === results.length && (values.write || values.check)) {
  const table = runtimeTable(runs)
  console.log(`\n${table}`)
  areGood = await isTabled(table)
}
if (!areGood) process.exitCode = 1
