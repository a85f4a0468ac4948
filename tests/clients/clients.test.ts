import { describe, expect, test } from 'vitest'
import { hasCompatibility, readCompatibility } from '../support/compatibility-page.ts'
import { titleOf } from './client.ts'
import { isNightly } from '../support/nightly.ts'
import { clients, triedClients } from './libraries/index.ts'
import { outcomeOf } from './outcome.ts'
import { scenarios } from './scenarios.ts'
import { clientTable, type ScenarioResult, wrongCells } from './table.ts'

const results: ScenarioResult[] = []

describe.each(triedClients.map((client) => [titleOf(client), client] as const))(
  '%s',
  (_, client) => {
    test.each(scenarios)('$topic: $name', async (scenario) => {
      const outcome = await outcomeOf(client, scenario)
      results.push({ client, scenario, outcome })
      if (outcome.kind === 'failed') throw outcome.error
      expect(['passed', 'refused', 'not possible']).toContain(outcome.kind)
    })
  },
)

test('what a client refuses or cannot do is the name of a scenario', () => {
  const names = scenarios.map(({ name }) => name)
  for (const { refuses, cannot } of clients) {
    expect(names).toEqual(expect.arrayContaining(Object.keys({ ...refuses, ...cannot })))
  }
})

// It names the pinned Node, whose `fetch` is one of the clients.
test.skipIf(!process.version.startsWith('v24.'))(
  'docs/compatibility.md has the table of these outcomes',
  async ({ skip }) => {
    skip(results.length < triedClients.length * scenarios.length, 'not every scenario was run')
    expect(wrongCells(await readCompatibility(), results), 'pnpm matrix').toEqual([])
    // The whole of it can be made of all clients only.
    const isWhole = !isNightly || (await hasCompatibility('clients', clientTable(results)))
    expect(isWhole, 'pnpm matrix').toBe(true)
  },
)
