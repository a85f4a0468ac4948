import { runAll, type RuntimeResult } from './run-all.ts'

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

const results = await runAll(print)
if (!results.every(isGood)) process.exitCode = 1
