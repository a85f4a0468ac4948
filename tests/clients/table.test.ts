import { expect, test } from 'vitest'
import { NotPossible } from './client.ts'
import { fetchClient } from './libraries/fetch.ts'
import { outcomeOf } from './outcome.ts'
import type { Scenario } from './scenario.ts'
import { clientTable, wrongCells } from './table.ts'

const scenario = { topic: 'topic', name: 'scenario', run: () => Promise.resolve() }
const failing = (error: Error): Scenario => ({
  ...scenario,
  async run() {
    throw error
  },
})
const httpError = Object.assign(new Error('no'), { name: 'HTTPError' })

test.each([
  ['a scenario that ends well has passed', fetchClient, scenario, 'passed'],
  ['any error is a failure', fetchClient, failing(httpError), 'failed'],
  [
    'the error that a client is known to refuse with is a refusal',
    { ...fetchClient, refuses: { scenario: 'HTTPError' } },
    failing(httpError),
    'refused',
  ],
  [
    'another error is none',
    { ...fetchClient, refuses: { scenario: 'HTTPError' } },
    failing(new Error('no')),
    'failed',
  ],
  [
    'what a client has no way to say is not possible',
    fetchClient,
    failing(new NotPossible('it has no hooks')),
    'not possible',
  ],
  [
    'what a client is known not to come through, and does, is a failure',
    { ...fetchClient, cannot: { scenario: 'it has no hooks' } },
    scenario,
    'failed',
  ],
])('%s', async (_name, client, tried, kind) => {
  expect((await outcomeOf(client, tried)).kind).toBe(kind)
})

test('a credential that reaches another origin fails every scenario', async () => {
  const outcome = await outcomeOf(fetchClient, {
    ...scenario,
    async run({ strays, secrets }) {
      await fetch(strays.url, { headers: { 'x-own': secrets()[0] ?? '' } })
    },
  })
  expect(outcome.kind).toBe('failed')
})

test('the versions of a client share a column, and tell where they differ', () => {
  const client = { ...fetchClient, name: 'client', version: '2.0.0' }
  const reason = 'it has no hooks'
  const table = clientTable([
    { client, scenario, outcome: { kind: 'passed' } },
    {
      client: { ...client, version: '1.0.0' },
      scenario,
      outcome: { kind: 'not possible', reason },
    },
  ])
  expect(table).toBe(`| topic | scenario | client<br>2.0.0, 1.0.0 |
| ----- | -------- | ---------------------- |
|       | through  | \`authFetch\`            |
| topic | scenario | ✓ –                    |

- client: – it has no hooks (1.0.0)`)
})

test('a page is held against the outcomes of some of its clients', () => {
  const client = { ...fetchClient, name: 'client', version: '2.0.0' }
  const other = { ...client, name: 'other' }
  const passed = { kind: 'passed' } as const
  const refused = { kind: 'refused', by: 'HTTPError' } as const
  const page = clientTable([
    { client, scenario, outcome: passed },
    { client: other, scenario, outcome: refused },
  ])
  expect(wrongCells(page, [{ client: other, scenario, outcome: refused }])).toEqual([])
  expect(
    wrongCells(page, [
      { client, scenario, outcome: refused },
      { client: { ...client, version: '3.0.0' }, scenario, outcome: passed },
      { client: { ...client, name: 'new' }, scenario, outcome: passed },
      { client, scenario: { ...scenario, name: 'new' }, outcome: passed },
    ]),
  ).toEqual([
    'client 2.0.0, scenario: refused',
    'client 3.0.0, scenario: ✓',
    'new 2.0.0, scenario: ✓',
    'client 2.0.0, new: ✓',
  ])
})
