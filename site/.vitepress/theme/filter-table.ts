/** The part of a table that a reader wants to see. */
export interface Filter {
  /** The name of the only column, or nothing for all. */
  column: string
  /** The name of the only group of rows, or nothing for all. */
  group: string
  /** Leaves out rows where everything that is shown works. */
  isDifferent: boolean
}

/** The names of a table's columns of results: those after the columns that name a row. */
export function columnsOf(table: HTMLTableElement): readonly string[] {
  return headOf(table).slice(labelsOf(table))
}

/** The groups of a table's rows: a row whose first cell is empty belongs to the group above. */
export function groupsOf(table: HTMLTableElement): readonly string[] {
  if (labelsOf(table) < 2) return []
  return [...new Set(groupedRows(table).map(({ group }) => group))].filter((group) => group !== '')
}

/** Hides the rest of a table, and returns how much of it is shown. */
export function filterTable(table: HTMLTableElement, filter: Filter): string {
  const labels = labelsOf(table)
  const columns = headOf(table).map(
    (name, n) => n < labels || !filter.column || name === filter.column,
  )
  const rows = groupedRows(table)
  const lastGroup = { name: '' }
  for (const { row, group } of rows) {
    const cells = [...row.cells]
    const results = cells.filter((_, n) => n >= labels && columns[n])
    // An empty cell says that a check does not apply.
    const isDifferent = results.some(({ textContent }) => !/^✓?$/.test(textContent.trim()))
    // The row that names the adapters belongs to no group.
    const isWanted = group === '' || !filter.group || group === filter.group
    row.hidden = !isWanted || (filter.isDifferent && group !== '' && !isDifferent)
    for (const [n, cell] of cells.entries()) cell.hidden = !columns[n]
    nameGroup(cells[0], labels > 1 && !row.hidden, group, lastGroup)
  }
  for (const [n, cell] of [...(table.tHead?.rows[0]?.cells ?? [])].entries())
    cell.hidden = !columns[n]
  const shownRows = rows.filter(({ row, group }) => group !== '' && !row.hidden).length
  const allRows = rows.filter(({ group }) => group !== '').length
  const all = columns.length - labels
  const shown = columns.filter((isShown) => isShown).length - labels
  const ofColumns = all === 0 ? '' : `, ${shown} of ${all} columns`
  return `${shownRows} of ${allRows} rows${ofColumns}`
}

/** Hides the reasons below a table that are not those of its only column. */
export function filterReasons(list: HTMLElement, column: string): void {
  const [name = ''] = column.split(', ')
  for (const item of list.querySelectorAll('li'))
    item.hidden = name !== '' && !item.textContent.startsWith(`${name}:`)
}

/** The first row that is shown of a group says its name, even where another row of it is hidden. */
function nameGroup(
  cell: HTMLTableCellElement | undefined,
  isShown: boolean,
  group: string,
  last: { name: string },
): void {
  if (!cell || !isShown) return
  cell.textContent = group === last.name ? '' : group
  last.name = group
}

function headOf(table: HTMLTableElement): readonly string[] {
  return [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) =>
    [...cell.childNodes]
      .map(({ textContent }) => textContent?.trim() ?? '')
      .filter((text) => text !== '')
      .join(', '),
  )
}

/** The number of columns that name a row. */
function labelsOf(table: HTMLTableElement): number {
  const head = headOf(table)
  if (head[1] === 'scenario') return 2
  // A list of neighbours: each of its columns says what a row is.
  return head[1] === 'neighbour' ? head.length : 1
}

function groupedRows(
  table: HTMLTableElement,
): readonly { readonly row: HTMLTableRowElement; readonly group: string }[] {
  const hasGroups = labelsOf(table) > 1
  let group = ''
  return [...(table.tBodies[0]?.rows ?? [])].map((row) => {
    const [first] = row.cells
    group = row.dataset['group'] ?? (first?.textContent?.trim() || group)
    // A filter empties and fills the first cell, so the group is kept beside it.
    row.dataset['group'] = group
    return { row, group: hasGroups ? group : 'checks' }
  })
}
