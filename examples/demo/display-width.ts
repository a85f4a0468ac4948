const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

// East Asian wide and full-width blocks, and what is drawn as an emoji, take two columns.
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u

/** Splits a text into the characters that a reader counts, each with its columns in a terminal. */
export function graphemes(text: string): { readonly text: string; readonly columns: number }[] {
  return Array.from(segmenter.segment(text), ({ segment }) => ({
    text: segment,
    columns: wide.test(segment) ? 2 : 1,
  }))
}

/** Returns the number of columns that a text takes in a terminal. */
export function displayWidth(text: string): number {
  return graphemes(text).reduce((total, { columns }) => total + columns, 0)
}
