import { betweenMarks, markdownTable } from '../../support/markdown-table.ts'
import type { FaultScenario } from './scenario.ts'

const start = '<!-- battery: made by `pnpm battery` -->'
const end = '<!-- /battery -->'

/** A README with the table of the scenarios between its two marks. */
export function withBatteryTable(readme: string, scenarios: readonly FaultScenario[]): string {
  const rows = scenarios.map(({ fault, expected, others }) => [fault, expected, others])
  return betweenMarks(readme, start, end, markdownTable([['fault', 'here', 'others'], ...rows]))
}
