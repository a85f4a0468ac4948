import { markdownTable } from '../../test-support/markdown-table.ts'
import type { SoakReport } from './soak.ts'

/** What a person wants to know of a report. */
export function summaryOf(report: SoakReport): string {
  const { outcomes, growth } = report
  const kinds = [...outcomes].toSorted(([left], [right]) => left.localeCompare(right))
  const rows = kinds.flatMap(([kind, own]) =>
    [...own]
      .toSorted(([, left], [, right]) => right - left)
      .map(([outcome, count], index) => [index === 0 ? kind : '', outcome, String(count)]),
  )
  return [
    markdownTable([['operation', 'outcome', 'times'], ...rows]),
    '',
    `operations  ${report.operations} in ${report.rounds} rounds`,
    `logins      ${report.logins}`,
    `stores      given up ${report.storeFailures} times; redis is ${report.redis}`,
    `open        at most ${report.descriptors} files and sockets after a round`,
    growth
      ? `heap        ${mebibytes(growth.fromBytes)} to ${mebibytes(growth.toBytes)} in ${growth.operations} operations`
      : 'heap        too few rounds to tell',
  ].join('\n')
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MiB`
}
