import { type Pitfall, pitfalls } from './pitfalls.ts'

const start = '<!-- pitfalls: made by `pnpm run table` -->'
const end = '<!-- /pitfalls -->'

/** A README with the table of the pitfalls between its two marks. */
export function withTable(readme: string): string {
  const [from, to] = [readme.indexOf(start), readme.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the README has no place for the table: ${start}`)
  return `${readme.slice(0, from + start.length)}\n\n${table(pitfalls)}\n\n${readme.slice(to)}`
}

/** In columns of equal width, as the formatter wants them. */
function table(rows: readonly Pitfall[]): string {
  const head = ['request', 'ours', 'aws4', 'aws4fetch', 'smithy', 'what happens']
  const body = rows.map(({ what, outcomes: { ours, aws4, aws4fetch, smithy }, why }) => [
    what,
    ours,
    aws4,
    aws4fetch,
    smithy,
    why,
  ])
  const widths = head.map((_, n) => Math.max(...[head, ...body].map((row) => row[n]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
