import type { TopLevelSpec } from 'vega-lite'
import { plotLook } from '../report/plot-look.ts'
import { firstOfOurs, ratios } from './ratios.ts'
import type { RuntimeSigning } from './result.ts'

/** One point of the plot. */
interface RatioPoint {
  readonly runtime: string
  readonly request: string
  readonly contender: string
  readonly ratio: number
}

/** Returns a plot of the small requests in every runtime, each contender as a multiple of our `authorize`. */
export function ratioPlot(results: readonly RuntimeSigning[]): TopLevelSpec {
  const small = new Set(['GET with a query', 'POST of 1 KB'])
  return plotOf(
    results.flatMap(({ runtime, contests }) =>
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
    ),
  )
}

/** Returns a plot of these points, one panel for each runtime. */
function plotOf(points: readonly RatioPoint[]): TopLevelSpec {
  return {
    ...plotLook,
    data: { values: [...points] },
    width: 280,
    height: { step: 17 },
    mark: { type: 'point', filled: true, size: 70, opacity: 1 },
    encoding: {
      facet: {
        field: 'runtime',
        type: 'nominal',
        title: null,
        columns: 1,
        sort: [...new Set(points.map(({ runtime }) => runtime))],
      },
      y: {
        field: 'contender',
        type: 'nominal',
        title: null,
        sort: null,
        axis: { labelLimit: 400, grid: true },
      },
      x: {
        field: 'ratio',
        type: 'quantitative',
        title: 'times our authorize (logarithmic scale)',
        scale: { type: 'log' },
      },
      color: { field: 'request', type: 'nominal', title: null },
    },
    resolve: { scale: { y: 'independent' }, axis: { x: 'independent' } },
  }
}
