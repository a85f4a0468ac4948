import { displayWidth, graphemes } from './display-width.ts'

/** A column of a table: its heading and the most columns of a terminal that it takes. */
export interface Column {
  readonly heading: string
  readonly maxWidth: number
}

/** A function that gives a cell its look, without changing the width. */
export type CellStyle = (text: string, column: number, row: number | 'heading') => string

/** Lays rows out below headings. A cell is one line or several; longer lines are wrapped. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly (string | readonly string[])[])[],
  style: CellStyle = (text) => text,
): string {
  const wrapped = rows.map((row) =>
    columns.map(({ maxWidth }, index) =>
      [row[index] ?? ''].flat().flatMap((line) => wrap(line, maxWidth)),
    ),
  )
  const widths = columns.map(({ heading }, index) =>
    Math.max(...[heading, ...wrapped.flatMap((row) => row[index] ?? [])].map(displayWidth)),
  )
  const line = (cells: readonly string[], row: number | 'heading'): string =>
    cells
      .map((cell, index) => {
        const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell)))
        return `${cell === '' ? '' : style(cell, index, row)}${padding}`
      })
      .join('  ')
      .trimEnd()
  const rule = '─'.repeat(widths.reduce((total, width) => total + width + 2, -2))
  const body = wrapped.flatMap((row, rowIndex) => {
    const height = Math.max(...row.map((cell) => cell.length))
    return Array.from({ length: height }, (_, lineIndex) =>
      line(
        row.map((cell) => cell[lineIndex] ?? ''),
        rowIndex,
      ),
    )
  })
  const headings = columns.map(({ heading }) => heading)
  return [line(headings, 'heading'), rule, ...body, rule].join('\n')
}

/** Breaks at spaces if possible, anywhere else if not, but never within `%20`. */
function wrap(text: string, maxWidth: number): string[] {
  const lines: string[] = []
  let line = ''
  const breakLine = (): void => {
    lines.push(line.trimEnd())
    line = ''
  }
  for (const word of text.split(/(?<= )/)) {
    const wordWidth = displayWidth(word.trimEnd())
    if (wordWidth <= maxWidth && displayWidth(line) + wordWidth > maxWidth) breakLine()
    for (const unit of word.split(/(%[\dA-F]{2})/)) {
      const pieces = unit.startsWith('%') ? [unit] : graphemes(unit).map((piece) => piece.text)
      for (const piece of pieces) {
        if (piece !== ' ' && displayWidth(line + piece) > maxWidth) breakLine()
        line += piece
      }
    }
  }
  breakLine()
  return lines
}
