import type { TopLevelSpec } from 'vega-lite'
import { firstOfOurs, ratios } from './ratios.ts'
import type { RuntimeSigning } from './result.ts'

/** Returns a plot of the small requests in every runtime, each contender as a multiple of our `authorize`. */
export function ratioPlot(results: readonly RuntimeSigning[]): TopLevelSpec {
  const small = new Set(['GET with a query', 'POST of 1 KB'])
  const values = results.flatMap(({ runtime, contests }) =>
    contests
      .filter((contest) => small.has(contest.case))
      .flatMap(({ case: request, performances }) =>
        [...ratios(performances, firstOfOurs(performances))].map(([contender, ratio]) => ({
          runtime,
          request,
          contender,
          ratio,
        })),
      ),
  )
  return {
    background: 'white',
    data: { values },
    mark: { type: 'point', filled: true, size: 70, opacity: 1 },
    encoding: {
      facet: {
        field: 'runtime',
        type: 'nominal',
        title: null,
        columns: 2,
        sort: results.map(({ runtime }) => runtime),
      },
      y: {
        field: 'contender',
        type: 'nominal',
        title: null,
        sort: null,
        axis: { labelLimit: 300, grid: true },
      },
      x: {
        field: 'ratio',
        type: 'quantitative',
        title: 'times our authorize (logarithmic)',
        scale: { type: 'log' },
      },
      color: { field: 'request', type: 'nominal', title: null },
    },
    resolve: { scale: { y: 'independent' }, axis: { x: 'independent' } },
  }
}
