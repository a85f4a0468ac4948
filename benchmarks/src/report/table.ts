/** Returns a table in Markdown: the first column is text, the others are figures. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  const rule = head.map((cell, column) => (column === 0 || cell === '' ? '---' : '---:'))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}
