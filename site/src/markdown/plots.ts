import type { Rows } from './rows.ts'

/** A plot of one column of a table. */
interface Plot {
  readonly heading: string
  /** The number of the table below its heading. */
  readonly table: number
  readonly column: number
  readonly title: string
  /** A column in which the numbers of a row are, when only some of them belong together. */
  readonly only?: RegExp
  /** Numbers that lie far apart are drawn by their logarithm. */
  readonly isLogarithmic?: true
}

const plots: readonly Plot[] = [
  ...[1, 2].flatMap((table) =>
    [1, 2, 3].map((column) => ({
      heading: 'Compared with other libraries',
      table,
      column,
      title: `Microseconds for each signature, ${['Node 24', 'Chromium'][table - 1]}`,
      isLogarithmic: true as const,
    })),
  ),
  {
    heading: 'Compared with the bare hashes',
    table: 1,
    column: 2,
    title: 'Multiple of the bare hashes',
    only: /^authorize$/,
  },
  {
    heading: 'Compared with the bare hashes',
    table: 1,
    column: 3,
    title: 'Multiple of the bare hashes',
    only: /^authorize$/,
  },
  { heading: 'Where the time goes', table: 1, column: 1, title: 'Share of the time' },
  { heading: 'Where the time goes', table: 1, column: 2, title: 'Share of the time' },
  { heading: 'Whole requests over loopback', table: 1, column: 1, title: 'More is better' },
  { heading: 'Whole requests over loopback', table: 1, column: 6, title: 'Less is better' },
  { heading: 'Latency at half load', table: 1, column: 1, title: 'Less is better' },
  { heading: 'Latency at half load', table: 1, column: 2, title: 'Less is better' },
  { heading: 'Getting a token', table: 1, column: 1, title: 'CPU microseconds' },
  {
    heading: 'Getting a token',
    table: 1,
    column: 3,
    title: 'For 10 000 callers',
    isLogarithmic: true,
  },
  { heading: 'Traces and metrics', table: 1, column: 1, title: 'Less is better' },
  { heading: 'Memory', table: 1, column: 2, title: 'MiB', only: /./ },
  { heading: 'Start and size', table: 1, column: 1, title: 'Less is better' },
  { heading: 'Start and size', table: 1, column: 3, title: 'kB, minified and compressed' },
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
  const chosen = plots.filter((each) => each.heading === heading && each.table === table)
  const figures = chosen.map((plot) =>
    figure(plot, head[plot.column] ?? '', barsOf(plot, body), escape),
  )
  return figures.length > 0 ? `<div class="plots">${figures.join('')}</div>\n` : ''
}

/** A cell of the first column is empty where it is the same as in the row above. */
function barsOf({ column, only }: Plot, body: Rows): readonly Bar[] {
  let first = ''
  return body.flatMap((row) => {
    first = row[0] || first
    if (only && !only.test(row[1] ?? '')) return []
    const shown = row[column] ?? ''
    const value = Number(/^-?[\d,.]+/.exec(shown)?.[0].replaceAll(',', ''))
    const label = only?.source === '.' ? `${first}, ${row[1]}` : first
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
    const isOurs = /^auth|^svc-auth|@svc\/|^getToken|svc-auth/.test(label)
    const bar = `<svg class="bar" aria-hidden="true" height="10"><rect width="${length(value).toFixed(1)}%" height="10" rx="2"/></svg>`
    return `<li${isOurs ? ' class="ours"' : ''}><span class="name">${escape(label)}</span>${bar}<span class="value">${escape(shown)}</span></li>`
  })
  const scale = isLogarithmic ? ', logarithmic scale' : ''
  return `<figure class="plot"><figcaption><strong>${escape(column)}</strong> ${escape(title + scale)}</figcaption><ul>${items.join('')}</ul></figure>`
}
