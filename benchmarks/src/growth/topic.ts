import { node24 } from '../jobs/command-runtime.ts'
import { fitLine } from '../measure/statistics.ts'
import { figure } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { type GrowthCurve, growthJob } from './growth-job.ts'
import { growthPlot } from './growth-plot.ts'
import { pointsOf } from './points.ts'

/** The growth of the signing time with the request. */
export const growth: Topic<readonly GrowthCurve[]> = {
  name: 'growth',
  title: 'Growth',
  run: ({ calls }) => node24.run(growthJob, calls),
  section: (curves) => ({
    plots: { growth: growthPlot(curves) },
    markdown: `Node 24, \`authorize\` with the native engine, CPU time. r² is the share of the variance that a straight line explains.

![Signing time over path, headers, query and body](growth.svg)

${table(
  ['', 'from', 'to', 'µs at the smallest', 'µs at the largest', 'µs per unit', 'r²'],
  curves.map((curve) => {
    const points = pointsOf(curve)
    const line = fitLine(points)
    const [least = 0, most = 0] = [points.at(0)?.[1], points.at(-1)?.[1]]
    return [
      `${curve.name}, ${curve.unit}`,
      `${curve.sizes.at(0)}`,
      `${curve.sizes.at(-1)}`,
      figure(least),
      figure(most),
      figure(line.slope),
      line.rSquared.toFixed(4),
    ]
  }),
)}`,
  }),
}
