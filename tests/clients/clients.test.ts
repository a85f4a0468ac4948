import { describe, expect, test } from 'vitest'
import { titleOf } from './client.ts'
import { clients } from './libraries/index.ts'
import { outcomeOf } from './outcome.ts'
import { scenarios } from './scenarios.ts'

describe.each(clients.map((client) => [titleOf(client), client] as const))('%s', (_, client) => {
  test.each(scenarios)('$topic: $name', async (scenario) => {
    const outcome = await outcomeOf(client, scenario)
    if (outcome.kind === 'failed') throw outcome.error
    expect(['passed', 'refused', 'not possible']).toContain(outcome.kind)
  })
})

test('what a client refuses or cannot do is the name of a scenario', () => {
  const names = scenarios.map(({ name }) => name)
  for (const { refuses, cannot } of clients) {
    expect(names).toEqual(expect.arrayContaining(Object.keys({ ...refuses, ...cannot })))
  }
})
