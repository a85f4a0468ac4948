import { inspect } from 'node:util'
import { writeCompatibility } from '../support/compatibility-page.ts'
import { titleOf } from './client.ts'
import { clients } from './libraries/index.ts'
import { outcomeOf } from './outcome.ts'
import { leaksOfPeers } from './peers.ts'
import { peerTable } from './peer-table.ts'
import { scenarios } from './scenarios.ts'
import { clientTable, type ScenarioResult } from './table.ts'

// Runs every client through every scenario and writes the tables, where all is as expected.
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
const table = clientTable(results)
const redirects = peerTable(await leaksOfPeers())
console.log(`\n${table}\n\n${redirects}`)
if (results.every(({ outcome }) => outcome.kind !== 'failed')) {
  await writeCompatibility('clients', table)
  await writeCompatibility('redirects', redirects)
} else {
  process.exitCode = 1
}
