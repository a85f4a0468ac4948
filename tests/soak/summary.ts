import { markdownTable } from '../support/markdown-table.ts'
import type { Sample } from './checks/memory.ts'
import type { SoakReport } from './soak.ts'

/** A report as a person wants to read it. */
export function summaryOf(report: SoakReport): string {
  const { outcomes, growth, samples } = report
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
    `heap        ${pointsOf(samples).join(' → ')} MiB`,
    growth
      ? `growth      ${growth.toBytes - growth.fromBytes} bytes in ${growth.operations} operations after the warm-up`
      : 'growth      too few rounds to tell',
  ].join('\n')
}

/** Some of the samples, from the first to the last. */
function pointsOf(samples: readonly Sample[]): string[] {
  const step = Math.max(1, Math.ceil((samples.length - 1) / 9))
  return samples
    .filter((_, index) => index % step === 0 || index === samples.length - 1)
    .map(({ heapBytes }) => (heapBytes / 1024 / 1024).toFixed(1))
}
