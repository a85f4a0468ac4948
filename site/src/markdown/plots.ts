import type { Rows } from './rows.ts'

/** A plot of one column of a table. */
interface Plot {
  readonly heading: string
  /** The number of the table below its heading. */
  readonly table: number
  readonly column: number
  readonly title: string
  /** Numbers that lie far apart are drawn by their logarithm. */
  readonly isLogarithmic?: true
}

const signing = ['Node', 'Chromium'].flatMap((runtime) =>
  [1, 2, 3].map((column) => ({
    heading: runtime,
    table: 1,
    column,
    title: `Microseconds for each signature, ${runtime}`,
    isLogarithmic: true as const,
  })),
)

const plots: readonly Plot[] = [
  ...signing,
  { heading: 'Requests', table: 1, column: 1, title: 'More is better' },
  { heading: 'Requests', table: 1, column: 3, title: 'Less is better' },
  { heading: 'Size and import', table: 1, column: 2, title: 'Minified and compressed' },
  { heading: 'Import', table: 1, column: 1, title: 'Less is better' },
  { heading: 'A token alone', table: 1, column: 1, title: 'Less is better' },
  {
    heading: 'A token alone',
    table: 1,
    column: 2,
    title: 'For 10 000 callers',
    isLogarithmic: true,
  },
  { heading: 'The command and its proxy', table: 1, column: 1, title: 'Less is better' },
  { heading: 'The command and its proxy', table: 2, column: 1, title: 'More is better' },
]

interface Bar {
  readonly label: string
  readonly shown: string
  readonly value: number
}

/** Returns the plots of a table as HTML, and nothing where it has none. */
export function plotsOf(
  heading: string,
  table: number,
  [head = [], ...body]: Rows,
  escape: (text: string) => string,
): string {
  // The heading of a runtime ends with its version.
  const name = heading.replace(/ [\d.]+$/, '')
  const chosen = plots.filter((each) => each.heading === name && each.table === table)
  const figures = chosen.map((plot) =>
    figure(plot, head[plot.column] ?? '', barsOf(plot, body), escape),
  )
  return figures.length > 0 ? `<div class="plots">${figures.join('')}</div>\n` : ''
}

function barsOf({ column }: Plot, body: Rows): readonly Bar[] {
  return body.flatMap(([label = '', ...cells]) => {
    const shown = cells[column - 1] ?? ''
    const value = Number(/^-?[\d,.]+/.exec(shown)?.[0].replaceAll(',', ''))
    return Number.isFinite(value) ? [{ label, shown, value }] : []
  })
}

function figure(
  { title, isLogarithmic }: Plot,
  column: string,
  bars: readonly Bar[],
  escape: (text: string) => string,
): string {
  const values = bars.map(({ value }) => Math.max(0, value))
  const most = Math.max(...values)
  const least = Math.min(...values.filter((value) => value > 0))
  // The smallest still has a length.
  const length = (value: number): number =>
    isLogarithmic
      ? 8 + 92 * (Math.log(Math.max(value, least) / least) / Math.log(most / least))
      : (100 * Math.max(0, value)) / most
  const items = bars.map(({ label, shown, value }) => {
    const isOurs =
      /^auth[A-Z]|^authorize|^light |^token \+|^sigv4 \+|^selector|^the whole service|@svc\/|svc-auth/.test(
        label,
      )
    const bar = `<svg class="bar" aria-hidden="true" height="10"><rect width="${length(value).toFixed(1)}%" height="10" rx="2"/></svg>`
    return `<li${isOurs ? ' class="ours"' : ''}><span class="name">${escape(label)}</span>${bar}<span class="value">${escape(shown)}</span></li>`
  })
  const scale = isLogarithmic ? ', logarithmic scale' : ''
  return `<figure class="plot"><figcaption><strong>${escape(column)}</strong> ${escape(title + scale)}</figcaption><ul>${items.join('')}</ul></figure>`
}
