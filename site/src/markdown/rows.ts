import type { MarkdownRenderer } from 'vitepress'

/** The cells of a table as text, the head first. */
export type Rows = readonly (readonly string[])[]

/** Reads the text of a table's cells from its tokens. */
export function rowsOf(tokens: ReturnType<MarkdownRenderer['parse']>): Rows {
  const rows: string[][] = []
  for (const { type, children } of tokens) {
    if (type === 'tr_open') rows.push([])
    if (type !== 'inline') continue
    const text = (children ?? [])
      .map(({ type: kind, content }) => (kind === 'html_inline' ? ' ' : content))
      .join('')
    rows.at(-1)?.push(text.trim())
  }
  return rows
}
