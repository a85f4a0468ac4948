import { median } from '../measure/statistics.ts'
import { figure, times } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Section } from '../topic.ts'
import { signingCases } from './case.ts'
import { ratioPlot } from './ratio-plot.ts'
import { firstOfOurs, ratios } from './ratios.ts'
import type { RuntimeSigning } from './result.ts'
import type { VerifiedPerformance } from './verify-contest.ts'

/** Returns the section of the page about signing: the floor first, then the peers. */
export function signingSection(results: readonly RuntimeSigning[]): Section {
  const cases = signingCases.map((given) => given.name)
  return {
    plots: { signing: ratioPlot(results) },
    markdown: `CPU microseconds per signature, threads included; elapsed time in Chromium, which does not report CPU time. Every
contender gets the request in the form that suits it best (a parsed URL if it takes one), and the emulator
verified one signature of each: *refused* is the response of a server that reads the path as S3's documents say.

### Compared with the bare hashes

No signature takes less time than its hashes. \`authorize\` as a multiple of them, and the whole of \`authFetch\`, which sends to a function that
responds at once, as a multiple of \`authorize\`.

${table(['', '', ...cases], results.flatMap(floorRows))}

### Compared with other libraries

As a multiple of our \`authorize\`, in every runtime:

![Time of the others as a multiple of our authorize](signing.svg)

Microseconds, and that multiple in brackets:

${results.filter(isShown).map(runtimeTable).join('\n\n')}`,
  }
}

/** The other runtimes are in the plot, and in the data of a run. */
function isShown({ runtime }: RuntimeSigning): boolean {
  return runtime === 'Node 24' || runtime === 'Chromium'
}

function floorRows({ runtime, version, contests }: RuntimeSigning): string[][] {
  const cells = (of: 'ours' | 'fetch', base: 'floor' | 'ours'): string[] =>
    contests.map(({ performances }) => {
      const found = {
        floor: performances.find(({ role }) => role === 'floor'),
        ours: firstOfOurs(performances),
        fetch: performances.find(({ contender }) => contender.startsWith('authFetch')),
      }
      const ratio = found[of] && ratios(performances, found[base]).get(found[of].contender)
      return ratio === undefined ? '' : times(ratio)
    })
  return [
    [named(runtime, version), '`authorize`', ...cells('ours', 'floor')],
    ['', '`authFetch`', ...cells('fetch', 'ours')],
  ]
}

/** Returns `Node 24.21.0`, not `Node 24 24.21.0`. */
function named(runtime: string, version: string): string {
  return `${runtime.replace(/ \d+$/, '')} ${version}`
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
  return `**${named(runtime, version)}**\n\n${table(['', ...cases], rows)}`
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
