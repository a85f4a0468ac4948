import type { TopLevelSpec } from 'vega-lite'
import type { GrowthCurve } from './growth-job.ts'
import { pointsOf } from './points.ts'

/** Returns a plot of every dimension, with a straight line through its points. */
export function growthPlot(curves: readonly GrowthCurve[]): TopLevelSpec {
  return {
    background: 'white',
    columns: 2,
    concat: curves.map((curve) => ({
      title: curve.name,
      width: 320,
      height: 200,
      data: { values: pointsOf(curve).map(([size, time]) => ({ size, time })) },
      encoding: {
        x: { field: 'size', type: 'quantitative', title: curve.unit },
        y: { field: 'time', type: 'quantitative', title: 'µs', scale: { zero: true } },
      },
      layer: [
        { mark: { type: 'point', filled: true, size: 50 } },
        { mark: { type: 'line', color: '#888' }, transform: [{ regression: 'time', on: 'size' }] },
      ],
    })),
  }
}
