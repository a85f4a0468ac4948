import { expect, test } from 'vitest'
import { displayWidth } from '../../examples/demo/display-width.ts'
import { formatTable } from '../../examples/demo/table.ts'

const columns = [
  { heading: 'a', maxWidth: 6 },
  { heading: 'b', maxWidth: 4 },
]

test('wide characters and emoji take two columns, combining marks none', () => {
  expect(displayWidth('東京')).toBe(4)
  expect(displayWidth('📊')).toBe(2)
  expect(displayWidth('e\u0301')).toBe(1)
})

test('cells are padded by what a terminal shows', () => {
  expect(
    formatTable(columns, [
      ['東京', '1'],
      ['abcd', '2'],
    ]),
  ).toBe(['a     b', '───────', '東京  1', 'abcd  2', '───────'].join('\n'))
})

test('a long line is broken at a space, or else where it has to be', () => {
  expect(formatTable(columns, [['one twoo', 'abcdefg']])).toBe(
    ['a     b', '──────────', 'one   abcd', 'twoo  efg', '──────────'].join('\n'),
  )
})
