import { join } from 'node:path'
import { betweenMarks, markdownTable } from '../../support/markdown-table.ts'
import type { BatteryColumn } from './columns.ts'

const start = '<!-- battery: made by `pnpm battery` -->'
const end = '<!-- /battery -->'

/** The document that has the table. */
export const readme: string = join(import.meta.dirname, '../../../docs/guides/several-processes.md')

/** Returns a document with the table of the scenarios between its two marks. */
export function withBatteryTable(document: string, columns: readonly BatteryColumn[]): string {
  const [first, ...further] = columns
  const rows = (first?.scenarios ?? []).map(({ fault, expected, others }, row) => {
    const outcomes = further.map(({ scenarios }) => scenarios[row]?.expected ?? '')
    const cells = outcomes.map((outcome) => (outcome === expected ? 'the same' : outcome))
    return [fault, expected].concat(cells, others)
  })
  const heads = ['fault', ...columns.map(({ column }) => column), 'others']
  return betweenMarks(document, start, end, markdownTable([heads, ...rows]))
}
