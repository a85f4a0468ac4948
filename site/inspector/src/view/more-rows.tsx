import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

/** The most rows of a table that are shown at once. */
const shownAtOnce = 60

/** The rows of a table that are shown, and the button that shows more of them. */
export interface ShownRows<Row> {
  readonly rows: readonly Row[]
  readonly more: VNode | null
}

/** Shows the rows of a table in portions, those that weigh more before the others, since thousands freeze a page. */
export function useRows<Row>(
  all: readonly Row[],
  isWeighty: (row: Row) => boolean = () => false,
): ShownRows<Row> {
  const [atMost, setAtMost] = useState(shownAtOnce)
  const left = all.length - atMost
  if (left <= 0) return { rows: all, more: null }
  const weighty = all.filter(isWeighty).slice(0, atMost)
  let rest = atMost - weighty.length
  const chosen = new Set(weighty)
  for (const row of all) {
    if (rest > 0 && !chosen.has(row)) {
      chosen.add(row)
      rest -= 1
    }
  }
  const more = (
    <button type="button" class="quiet" onClick={() => setAtMost(atMost + shownAtOnce)}>
      Show {Math.min(left, shownAtOnce)} of {left} more lines
    </button>
  )
  return { rows: all.filter((row) => chosen.has(row)), more }
}
