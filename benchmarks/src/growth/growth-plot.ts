import type { TopLevelSpec } from 'vega-lite'
import { plotLook } from '../report/plot-look.ts'
import type { GrowthCurve } from './growth-job.ts'
import { pointsOf } from './points.ts'

/** Returns a plot of every dimension, with a straight line through its points. */
export function growthPlot(curves: readonly GrowthCurve[]): TopLevelSpec {
  return {
    ...plotLook,
    columns: 2,
    concat: curves.map((curve) => ({
      title: curve.name,
      width: 190,
      height: 140,
      data: { values: pointsOf(curve).map(([size, value]) => ({ size, value })) },
      encoding: {
        x: { field: 'size', type: 'quantitative', title: curve.unit },
        y: { field: 'value', type: 'quantitative', title: curve.quantity, scale: { zero: true } },
      },
      layer: [
        { mark: { type: 'point', filled: true, size: 50 } },
        { mark: { type: 'line', color: '#888' }, transform: [{ regression: 'value', on: 'size' }] },
      ],
    })),
  }
}
