import { markdownTable } from '../support/markdown-table.ts'
import { type ClientUnderTest, titleOf } from './client.ts'
import type { ScenarioOutcome } from './outcome.ts'
import type { Scenario } from './scenario.ts'

/** The outcome of one scenario for one client. */
export interface ScenarioResult {
  readonly client: ClientUnderTest
  readonly scenario: Scenario
  readonly outcome: ScenarioOutcome
}

const symbols = { passed: '✓', refused: 'refused', 'not possible': '–', failed: '✗' } as const

/** Scenarios by clients, and below them the reason of every cell that is no tick. */
export function clientTable(results: readonly ScenarioResult[]): string {
  return `${markdownTable([headOf(results), adaptersOf(results), ...rowsOf(results)])}\n\n${notesOf(results)}`
}

/** Returns the outcomes that a page with such a table does not have, for some of the clients in it. */
export function wrongCells(page: string, results: readonly ScenarioResult[]): string[] {
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  const head = rows.find((row) => row[1] === 'topic') ?? []
  return results.flatMap(({ client, scenario, outcome }) => {
    const column = head.findIndex((cell) => cell.startsWith(`${nameOf(client)}<br>`))
    const row = rows.find((one) => one !== head && one[2] === scenario.name)
    const cell = row?.[column]
    const isThere = cell?.includes(symbols[outcome.kind]) && head[column]?.includes(client.version)
    return isThere ? [] : [`${titleOf(client)}, ${scenario.name}: ${symbols[outcome.kind]}`]
  })
}

function headOf(results: readonly ScenarioResult[]): string[] {
  const columns = [...columnsOf(results)].map(([column, cells]) => {
    const versions = new Set(cells.map(({ client }) => client.version))
    return `${column}<br>${[...versions].join(', ')}`
  })
  return ['topic', 'scenario', ...columns]
}

function adaptersOf(results: readonly ScenarioResult[]): string[] {
  const adapters = [...columnsOf(results).values()].map(
    (cells) => `\`${cells[0]?.client.adapter ?? ''}\``,
  )
  return ['', 'through', ...adapters]
}

function rowsOf(results: readonly ScenarioResult[]): string[][] {
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

function nameOf({ name, way }: ClientUnderTest): string {
  return [name, way].join(' ').trim()
}

/** One column for all versions of a client that are used in the same way. */
function columnsOf(results: readonly ScenarioResult[]): Map<string, ScenarioResult[]> {
  return groupedBy(results, ({ client }) => nameOf(client))
}

/** The reasons behind the cells of a column, with the versions where it is not all of them. */
function notesOf(results: readonly ScenarioResult[]): string {
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

function reasonOf({ outcome, scenario }: ScenarioResult): string | undefined {
  const symbol = symbols[outcome.kind]
  if (outcome.kind === 'refused') return `${symbol} with \`${outcome.by}\``
  if (outcome.kind === 'not possible') return `${symbol} ${outcome.reason}`
  return outcome.kind === 'failed' ? `${symbol} ${scenario.name}` : undefined
}

function groupedBy<Key>(
  results: readonly ScenarioResult[],
  keyOf: (result: ScenarioResult) => Key,
): Map<Key, ScenarioResult[]> {
  const groups = new Map<Key, ScenarioResult[]>()
  for (const result of results) {
    const key = keyOf(result)
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return groups
}
