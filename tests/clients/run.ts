import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { inspect, parseArgs } from 'node:util'
import { betweenMarks } from '../support/markdown-table.ts'
import { titleOf } from './client.ts'
import { clients } from './libraries/index.ts'
import { outcomeOf } from './outcome.ts'
import { leaksOfPeers } from './peers.ts'
import { peerTable } from './peer-table.ts'
import { scenarios } from './scenarios.ts'
import { clientTable, type ScenarioResult } from './table.ts'

// Runs every client through every scenario and writes the tables; with --check, compares them.
const { values } = parseArgs({ options: { check: { type: 'boolean' } } })
const page = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url))

const results: ScenarioResult[] = []
for (const client of clients) {
  const own: ScenarioResult[] = []
  for (const scenario of scenarios) {
    own.push({ client, scenario, outcome: await outcomeOf(client, scenario) })
  }
  results.push(...own)
  const failed = own.filter(({ outcome }) => outcome.kind === 'failed')
  console.log(`${titleOf(client)}  ${own.length - failed.length} as expected, ${failed.length} not`)
  for (const { scenario, outcome } of failed) {
    console.log(`  ✗ ${scenario.topic}: ${scenario.name}`)
    if (outcome.kind === 'failed') console.log(inspect(outcome.error).replace(/^/gm, '    '))
  }
}
const tables = { clients: clientTable(results), redirects: peerTable(await leaksOfPeers()) }
console.log(`\n${Object.values(tables).join('\n\n')}`)

let isGood = results.every(({ outcome }) => outcome.kind !== 'failed')
const before = await readFile(page, 'utf8')
let after = before
for (const [name, table] of Object.entries(tables)) {
  after = betweenMarks(after, `<!-- matrix:${name} -->`, `<!-- /matrix:${name} -->`, table)
}
if (isGood && !values.check) await writeFile(page, after)
else if (isGood && after !== before) {
  console.log('The tables in docs/compatibility.md are not those of the clients: pnpm matrix')
  isGood = false
}
if (!isGood) process.exitCode = 1
