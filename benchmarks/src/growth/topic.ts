import { node24 } from '../jobs/command-runtime.ts'
import { fitLine } from '../measure/statistics.ts'
import { figure } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { type GrowthCurve, growthJob, sessionsJob } from './growth-job.ts'
import { growthPlot } from './growth-plot.ts'
import { pointsOf } from './points.ts'

/** The growth of time and memory with the request, its callers and its users. */
export const growth: Topic<readonly GrowthCurve[]> = {
  name: 'growth',
  title: 'Growth',
  async run({ calls, users }) {
    const sessions = await node24.run(sessionsJob, { rounds: calls.rounds, users })
    return [...(await node24.run(growthJob, calls)), ...sessions]
  },
  section: (curves) => ({
    plots: { growth: growthPlot(curves) },
    markdown: `Node 24: \`authorize\` with the native engine over the size of the request; a login that more and more callers
wait for; sessions of more and more users in one process, and a request of one of them. CPU time, heap after
garbage collection. r² is the share of the variance that a straight line explains; it says nothing of a flat one.

![Time and heap over path, headers, query, body, callers and users](growth.svg)

${table(
  ['', 'from', 'to', 'at the smallest', 'at the largest', 'slope, per unit', 'r²'],
  curves.map((curve) => {
    const points = pointsOf(curve)
    const line = fitLine(points)
    const [least = 0, most = 0] = [points.at(0)?.[1], points.at(-1)?.[1]]
    const { quantity, sizes } = curve
    return [
      `${curve.name}, ${curve.unit}`,
      count(sizes.at(0)),
      count(sizes.at(-1)),
      `${figure(least)} ${quantity}`,
      `${figure(most)} ${quantity}`,
      `${figure(line.slope)} ${quantity}`,
      line.rSquared.toFixed(4),
    ]
  }),
)}`,
  }),
}

function count(size = 0): string {
  return size.toLocaleString('en-GB')
}
