import { describe, expect, test } from 'vitest'
import { inRounds } from '../src/measure/in-rounds.ts'
import { median, medianRatio, quantile } from '../src/measure/statistics.ts'

describe('a median', () => {
  test('is the value in the middle, in whatever order they come', () => {
    expect(median([9, 1, 5])).toBe(5)
  })
  test('of an even number of values lies between the two', () => {
    expect(median([1, 2, 4, 100])).toBe(3)
  })
  test('of nothing is an error', () => {
    expect(() => median([])).toThrow(RangeError)
  })
})

test('99 of 100 values do not exceed the quantile 0.99', () => {
  const values = Array.from({ length: 101 }, (_, at) => at)
  expect(quantile(values, 0.99)).toBe(99)
})

test('a ratio is that within a round: a slow round slows both', () => {
  expect(medianRatio([2, 20, 4], [1, 10, 1])).toBe(2)
  expect(() => medianRatio([1], [1, 2])).toThrow(RangeError)
})

test('contenders take turns, and another one begins each round', async () => {
  const order: string[] = []
  const results = await inRounds(['a', 'b', 'c'], 2, async (name) => order.push(name))
  expect(order.join('')).toBe('abcbca')
  expect(results).toEqual([
    [1, 6],
    [2, 4],
    [3, 5],
  ])
})
