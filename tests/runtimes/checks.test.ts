import { describe, expect, test } from 'vitest'
import { atNight } from '../support/nightly.ts'
import { hasCompatibility } from '../support/compatibility-page.ts'
import { runOne, type RuntimeRun } from './run-all.ts'
import { clientRuntimeTable } from './client-table.ts'
import { runtimes } from './runtimes.ts'
import { runtimeTable } from './table.ts'

// By day the oldest Node, since all other tests run in the pinned one, and each engine and platform once; Hermes, which
// interprets every hash, takes a minute.
const tried = runtimes.filter(({ name }) =>
  atNight(true, !/^Node 2[246]$|nodejs_compat|Web Worker|Hermes/.test(name)),
)
const runs = new Map<string, RuntimeRun>()

describe('the checks hold in', () => {
  test.for(tried)('$name', async (runtime, { skip }) => {
    const result = await runOne(runtime)
    if ('skipped' in result) {
      if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(result.skipped)
      console.warn(`skipped: ${result.skipped}`)
      skip(result.skipped)
      return
    }
    runs.set(runtime.name, result)
    expect(result.checks.length).toBeGreaterThan(20)
    expect(result.checks.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  })
})

test('docs/compatibility.md has the tables of these checks', async ({ skip }) => {
  const all = runtimes.flatMap(({ name }) => runs.get(name) ?? [])
  skip(all.length < runtimes.length, 'not every runtime was tried')
  expect(await hasCompatibility('runtimes', runtimeTable(all)), 'pnpm matrix').toBe(true)
  const ofClients = clientRuntimeTable(all)
  expect(await hasCompatibility('client-runtimes', ofClients), 'pnpm matrix').toBe(true)
})
