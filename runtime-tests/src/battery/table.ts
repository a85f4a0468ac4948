import type { Scenario } from './scenario.ts'

const start = '<!-- battery: made by `pnpm battery` -->'
const end = '<!-- /battery -->'

/** A README with the table of the scenarios between its two marks. */
export function withTable(readme: string, scenarios: readonly Scenario[]): string {
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the README has no place for the table: ${start}`)
  return `${readme.slice(0, from + start.length)}\n\n${table(scenarios)}\n\n${readme.slice(to)}`
}

/** In columns of equal width, as the formatter wants them. */
function table(scenarios: readonly Scenario[]): string {
  const rows = [
    ['fault', 'here', 'others'],
    ...scenarios.map(({ fault, expected, others }) => [fault, expected, others]),
  ]
  const widths = [0, 1, 2].map((n) => Math.max(...rows.map((row) => row[n]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
