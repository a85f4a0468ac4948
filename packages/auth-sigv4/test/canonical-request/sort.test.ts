import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sort } from '../testing.ts'

const pair = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat())

test('few and many are in the order that a stable sort gives', () => {
  const byFirst = ([a]: [number, number], [b]: [number, number]): number => a - b
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 40 }), (pairs) => {
      expect(sort([...pairs], byFirst)).toEqual(pairs.toSorted(byFirst))
    }),
  )
})

test('it is the array itself that is sorted', () => {
  const items = [3, 1, 2]
  expect(sort(items, (a, b) => a - b)).toBe(items)
  expect(items).toEqual([1, 2, 3])
})
