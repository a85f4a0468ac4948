import { median } from '../measure/statistics.ts'
import { figure, times } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Section } from '../topic.ts'
import { signingCases } from './case.ts'
import { ratioPlot } from './ratio-plot.ts'
import { firstOfOurs, ratios } from './ratios.ts'
import type { RuntimeSigning } from './result.ts'
import type { VerifiedPerformance } from './verify-contest.ts'

/** Returns the section of the page about signing: a plot, and a table for each runtime. */
export function signingSection(results: readonly RuntimeSigning[]): Section {
  return {
    plots: { signing: ratioPlot(results) },
    markdown: `Microseconds per signature, and in brackets that time as a multiple of what our
\`authorize\` (the first of ours in the table) takes for the same request in the same rounds. CPU time,
threads included; elapsed time in Chromium, which does not report CPU time. Every contender gets the request
in the form that suits it best (a parsed URL if it takes one), and the emulator verified one signature of
each: *refused* is the response of a server that reads the path as S3's documents say.

![Time of the others as a multiple of our authorize](signing.svg)

${results.map(runtimeTable).join('\n\n')}`,
  }
}

function runtimeTable({ runtime, version, contests }: RuntimeSigning): string {
  const names = new Set(
    contests.flatMap(({ performances }) => performances.map(({ contender }) => contender)),
  )
  const rows = [...names].map((name) => {
    const cells = contests.map(({ performances }) => {
      const performance = performances.find(({ contender }) => contender === name)
      return performance ? cell(performance, performances) : ''
    })
    return [name].concat(cells)
  })
  const cases = signingCases.map((given) => given.name)
  return `### ${runtime} ${version}\n\n${table(['', ...cases], rows)}`
}

function cell(
  performance: VerifiedPerformance,
  performances: readonly VerifiedPerformance[],
): string {
  const { contender, refused, rounds } = performance
  if (refused !== undefined) return `refused: ${refused}`
  const ratio = ratios(performances, firstOfOurs(performances)).get(contender)
  return `${figure(median(rounds))} (${times(ratio ?? Number.NaN)})`
}
