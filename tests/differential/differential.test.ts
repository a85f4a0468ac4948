import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isNightly } from '../support/nightly.ts'
import type { AcceptedDifference } from './accepted/row.ts'
import { accepted } from './accepted/index.ts'
import { titleOf } from './clients/client.ts'
import { clients } from './clients/index.ts'
import { casesPerClient, largeUploads, seed } from './count.ts'
import { generateCases } from './generate.ts'
import { describeComparison, runCases, wrongOf } from './run-cases.ts'
import { startRawServers } from './server/raw-server.ts'
import { collectUncaught, type Uncaught } from './uncaught.ts'

const occurred = new Set<AcceptedDifference>()
const timeoutMs = 600_000
let uncaught: Uncaught | undefined
let compared = 0

beforeAll(() => {
  uncaught = collectUncaught()
})
afterAll(() => uncaught?.stop())

describe.each(clients.map((client) => [titleOf(client), client] as const))('%s', (_, client) => {
  test(
    `with a constant header goes as the bare client does, in ${casesPerClient} cases`,
    async () => {
      const servers = await startRawServers()
      try {
        const cases = generateCases(seed, casesPerClient, client.takes)
        const comparisons = await runCases(client, cases, servers)
        compared += comparisons.length
        for (const { rows } of comparisons) for (const row of rows) occurred.add(row)
        expect(
          wrongOf(comparisons).map(describeComparison).join('\n'),
          `DIFFERENTIAL_SEED=${seed}`,
        ).toBe('')
        expect(servers.unknown, `DIFFERENTIAL_SEED=${seed}`).toEqual([])
      } finally {
        await servers.close()
      }
    },
    timeoutMs,
  )

  test(
    'loses no response that begins before a large body was read',
    { timeout: timeoutMs },
    async () => {
      const servers = await startRawServers()
      try {
        // One at a time: other calls would slow the server down, and hide it.
        const comparisons = await runCases(client, largeUploads, servers, 1)
        expect(wrongOf(comparisons).map(describeComparison).join('\n')).toBe('')
      } finally {
        await servers.close()
      }
    },
  )
})

test('nothing is thrown outside of a call', () => {
  expect(uncaught?.errors, `DIFFERENTIAL_SEED=${seed}`).toEqual([])
})

test.runIf(isNightly)('every accepted difference occurs', ({ skip }) => {
  skip(compared < clients.length * casesPerClient, 'not every client was run')
  const stale = accepted.filter((row) => !row.isRace && !occurred.has(row))
  expect(
    stale.map(({ page }) => `${page.client}: ${page.situation}`),
    `DIFFERENTIAL_SEED=${seed}`,
  ).toEqual([])
})
