import { describe, expect, test } from 'vitest'
import { compareTexts } from '../../src/view/text-difference.ts'
import { visiblePieces } from '../../src/view/visible-pieces.ts'

/** Writes the pieces of a text, with symbols in brackets. */
const shown = (...given: Parameters<typeof visiblePieces>): string =>
  visiblePieces(...given)
    .map((piece) => (typeof piece === 'string' ? piece : `[${piece.symbol}]`))
    .join('')

describe('a text', () => {
  // The title is what is shown: the text itself would not be seen there.
  test.each([
    ['', ''],
    ['a b', 'a b'],
    ['caf\u00e9 \u{1f600}', 'caf\u00e9 \u{1f600}'],
    ['e\u0301', 'e\u0301'],
    ['[␣]a[␣␣]b[␣]', ' a  b '],
    ['[␣ × 9]', ' '.repeat(9)],
    [
      'a[U+202E right-to-left override][U+200B zero-width space][U+00A0 no-break space]b',
      'a\u202e\u200b\u00a0b',
    ],
    ['[U+200B zero-width space × 4000]', '\u200b'.repeat(4000)],
    ['[U+0300]a', '\u0300a'],
    ['a[U+0300 × 300]b', `a${'\u0300'.repeat(300)}b`],
    ['a[4 combining characters]', 'a\u0300\u0301\u0302\u0303'],
    ['[U+3164][U+2800][U+FE0F][U+E0100]', '\u3164\u2800\ufe0f\u{e0100}'],
    ['[U+D800]', '\ud800'],
  ])('is shown as %j', (expected, text) => {
    expect(shown(text)).toBe(expected)
  })

  test('has few pieces, whatever it is', () => {
    const text = 'a\u200b\u202eb\u0300\u0300\u0300\u0300'.repeat(1000)
    expect(visiblePieces(text).length).toBeLessThan(25)
    expect(shown(text)).toContain('more hidden as ·')
    expect(shown(text)).not.toMatch(/\u200b|\u202e|\u0300/)
    expect(shown('a\u200b'.repeat(3), { atMost: 2 })).toBe(
      'a[U+200B zero-width space]a[U+200B zero-width space]a·[1 more hidden as ·]',
    )
  })

  test('that may look like another one tells which characters it has', () => {
    expect(shown('\u0430a', { isNumbered: true })).toBe('\u0430[U+0430]a')
    expect(shown('e\u0301', { isNumbered: true })).toBe('e[U+0301]')
  })

  test('between others needs no mark for the blanks at its ends', () => {
    expect(shown(' a  b ', { isInner: true })).toBe(' a[␣␣]b ')
  })
})

describe('a difference', () => {
  test('has few pieces, and all of both texts', () => {
    const [left, right] = ['ab'.repeat(100), 'ac'.repeat(100)]
    const pieces = compareTexts(left, right)
    expect(pieces.left.length).toBeLessThanOrEqual(40)
    expect(pieces.left.map(({ text }) => text).join('')).toBe(left)
    expect(pieces.right.map(({ text }) => text).join('')).toBe(right)
    expect(pieces.left.at(-1)?.differs).toBe(true)
  })

  test('that would take too long to find is the whole middle', () => {
    expect(compareTexts('a1b2c', 'a3b4c', 3).left).toEqual([
      { text: 'a', differs: false },
      { text: '1b2', differs: true },
      { text: 'c', differs: false },
    ])
  })
})
