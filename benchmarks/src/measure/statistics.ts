/** Returns the value in the middle; of an even number of values, the mean of the two. */
export function median(values: readonly number[]): number {
  return (quantile(values, 0.5) + quantile(values, 0.5, 'upper')) / 2
}

/** Returns the value that a share of the values, from 0 to 1, does not exceed. */
export function quantile(
  values: readonly number[],
  share: number,
  side: 'lower' | 'upper' = 'lower',
): number {
  if (values.length === 0) throw new RangeError('no values')
  const sorted = [...values].sort((a, b) => a - b)
  const place = share * (sorted.length - 1)
  // The place is within the array.
  return sorted[side === 'lower' ? Math.floor(place) : Math.ceil(place)] as number
}

/** Returns the median of the ratios to `base`, round by round: a slow round slows both. */
export function medianRatio(values: readonly number[], base: readonly number[]): number {
  if (values.length !== base.length) throw new RangeError('rounds must be pairs')
  // The place is within the array, which is as long.
  return median(values.map((value, round) => value / (base[round] as number)))
}

/** A straight line through points, with the share of their variance that it explains. */
export interface Line {
  readonly slope: number
  readonly intercept: number
  /** r², from 0 to 1. */
  readonly rSquared: number
}

/** Returns the line of least squares. */
export function fitLine(points: readonly (readonly [x: number, y: number])[]): Line {
  const meanX = mean(points.map(([x]) => x))
  const meanY = mean(points.map(([, y]) => y))
  const sum = (term: (dx: number, dy: number) => number): number =>
    points.reduce((total, [x, y]) => total + term(x - meanX, y - meanY), 0)
  const covariance = sum((dx, dy) => dx * dy)
  const varianceX = sum((dx) => dx * dx)
  const slope = covariance / varianceX
  return {
    slope,
    intercept: meanY - slope * meanX,
    rSquared: covariance ** 2 / (varianceX * sum((_dx, dy) => dy * dy)),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length
}
