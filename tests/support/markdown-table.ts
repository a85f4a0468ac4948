/** A table in Markdown, with columns of equal width, as the formatter wants them. */
export function markdownTable([head, ...body]: readonly [
  head: readonly string[],
  ...body: (readonly string[])[],
]): string {
  const widths = head.map((_, n) => Math.max(...[head, ...body].map((row) => row[n]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

/**
 * A document with a text between two marks.
 *
 * @throws {Error} where it has no such marks.
 */
export function betweenMarks(document: string, start: string, end: string, text: string): string {
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the document has no place for the table: ${start}`)
  return `${document.slice(0, from + start.length)}\n\n${text}\n\n${document.slice(to)}`
}
