import { join } from 'node:path'
import { betweenMarks, markdownTable } from '../../support/markdown-table.ts'
import type { FaultScenario } from './scenario.ts'

const start = '<!-- battery: made by `pnpm battery` -->'
const end = '<!-- /battery -->'

/** The document that has the table. */
export const readme: string = join(import.meta.dirname, '../../../packages/auth-token/README.md')

/** Returns a document with the table of the scenarios between its two marks. */
export function withBatteryTable(document: string, scenarios: readonly FaultScenario[]): string {
  const rows = scenarios.map(({ fault, expected, others }) => [fault, expected, others])
  return betweenMarks(document, start, end, markdownTable([['fault', 'here', 'others'], ...rows]))
}
