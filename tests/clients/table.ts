import { markdownTable } from '../support/markdown-table.ts'
import type { ClientUnderTest } from './client.ts'
import type { Outcome } from './outcome.ts'
import type { Scenario } from './scenario.ts'

/** What one client came to in one scenario. */
export interface Result {
  readonly client: ClientUnderTest
  readonly scenario: Scenario
  readonly outcome: Outcome
}

const symbols = { passed: '✓', refused: 'refused', 'not possible': '–', failed: '✗' } as const

/** Scenarios by clients, and below them the reason of every cell that is no tick. */
export function clientTable(results: readonly Result[]): string {
  return `${markdownTable([headOf(results), adaptersOf(results), ...rowsOf(results)])}\n\n${notesOf(results)}`
}

function headOf(results: readonly Result[]): string[] {
  const columns = [...columnsOf(results)].map(([column, cells]) => {
    const versions = new Set(cells.map(({ client }) => client.version))
    return `${column}<br>${[...versions].join(', ')}`
  })
  return ['topic', 'scenario', ...columns]
}

function adaptersOf(results: readonly Result[]): string[] {
  const adapters = [...columnsOf(results).values()].map(
    (cells) => `\`${cells[0]?.client.adapter ?? ''}\``,
  )
  return ['', 'through', ...adapters]
}

function rowsOf(results: readonly Result[]): string[][] {
  const scenarios = [...new Set(results.map(({ scenario }) => scenario))]
  return scenarios.map((scenario, index) => {
    const isFirst = scenarios[index - 1]?.topic !== scenario.topic
    const cells = [...columnsOf(results).values()].map((column) => {
      const outcomes = column.filter((result) => result.scenario === scenario)
      // The versions of a client stand in one cell, and mostly agree.
      return [...new Set(outcomes.map(({ outcome }) => symbols[outcome.kind]))].join(' ')
    })
    return [isFirst ? scenario.topic : '', scenario.name].concat(cells)
  })
}

/** One column for all versions of a client that are used in the same way. */
function columnsOf(results: readonly Result[]): Map<string, Result[]> {
  return groupedBy(results, ({ client: { name, way } }) => [name, way].join(' ').trim())
}

/** What stands behind the cells of a column, and for which versions where it is not all of them. */
function notesOf(results: readonly Result[]): string {
  return [...columnsOf(results)]
    .flatMap(([column, cells]) => {
      const versions = new Set(cells.map(({ client }) => client.version))
      const notes = [...groupedBy(cells, reasonOf)].flatMap(([reason, own]) => {
        if (reason === undefined) return []
        const concerned = new Set(own.map(({ client }) => client.version))
        const isAll = concerned.size === versions.size
        return isAll ? reason : `${reason} (${[...concerned].join(', ')})`
      })
      return notes.length === 0 ? [] : `- ${column}: ${notes.join('; ')}`
    })
    .join('\n')
}

function reasonOf({ outcome, scenario }: Result): string | undefined {
  const symbol = symbols[outcome.kind]
  if (outcome.kind === 'refused') return `${symbol} with \`${outcome.by}\``
  if (outcome.kind === 'not possible') return `${symbol} ${outcome.reason}`
  return outcome.kind === 'failed' ? `${symbol} ${scenario.name}` : undefined
}

function groupedBy<Key>(
  results: readonly Result[],
  keyOf: (result: Result) => Key,
): Map<Key, Result[]> {
  const groups = new Map<Key, Result[]>()
  for (const result of results) {
    const key = keyOf(result)
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return groups
}
