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
