/** Bars that belong together. */
export interface BarGroup {
  readonly title: string
  readonly bars: readonly Bar[]
}

/** A bar with its name and its figure. */
export interface Bar {
  readonly name: string
  readonly value: number
  readonly shown: string
  readonly isOurs: boolean
}

const width = 360
const margin = 12

/** Draws bars as SVG, narrow enough for a phone: each has its name and its figure above it. */
export function barsOf(title: string, groups: readonly BarGroup[]): string {
  const parts: string[] = []
  let y = 26
  parts.push(text(margin, y, title, 'font-size="14" font-weight="bold"'))
  for (const group of groups) {
    y += 30
    parts.push(text(margin, y, group.title, 'font-size="13" font-weight="bold"'))
    const most = Math.max(...group.bars.map(({ value }) => value))
    for (const { name, value, shown, isOurs } of group.bars) {
      const length = Math.max(2, ((width - 2 * margin) * value) / most)
      parts.push(
        text(margin, y + 20, name, isOurs ? 'font-weight="bold"' : ''),
        text(width - margin, y + 20, shown, 'text-anchor="end"'),
        `<rect x="${margin}" y="${y + 26}" width="${length.toFixed(1)}" height="8" rx="2" fill="${isOurs ? '#1f6f5c' : '#a3adb8'}"/>`,
      )
      y += 36
    }
  }
  const height = y + 20
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
${parts.join('\n')}
</svg>
`
}

function text(x: number, y: number, content: string, attributes: string): string {
  return `<text x="${x}" y="${y}" fill="#1b1f24" ${attributes}>${escape(content)}</text>`
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
