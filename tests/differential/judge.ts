import { accepted } from './accepted/index.ts'
import type { AcceptedDifference } from './accepted/row.ts'
import type { Case } from './case.ts'
import { type Client, titleOf } from './clients/client.ts'
import { type Aspects, type Difference, differencesOf } from './compare.ts'

/** What is left of the differences of one case, and the rows that took the others away. */
export interface Judgement {
  readonly differences: readonly Difference[]
  readonly rows: readonly AcceptedDifference[]
}

/** Returns the rows that concern a case of a client. */
export function rowsFor(client: Client, one: Case): AcceptedDifference[] {
  const title = titleOf(client)
  return accepted.filter(({ clients, when }) => clients.test(title) && when(one))
}

/** Returns the case in which the bare client is the yardstick, and the rows that say so. */
export function yardstickOf(
  one: Case,
  rows: readonly AcceptedDifference[],
): { readonly other: Case; readonly rows: readonly AcceptedDifference[] } {
  const used = rows.filter(({ what }) => what.kind === 'as')
  const other = used.reduce((last, { what }) => (what.kind === 'as' ? what.other(last) : last), one)
  return { other, rows: used }
}

/** Takes away the differences that the rows accept. */
export function judge(
  bare: Aspects,
  ours: Aspects,
  rows: readonly AcceptedDifference[],
): Judgement {
  const all = differencesOf(bare, ours)
  if (all.length === 0) return { differences: [], rows: [] }
  const error = rows.find((row) => endsWith(row, ours))
  if (error) return { differences: [], rows: [error] }
  const used = new Set<AcceptedDifference>()
  const differences = all.filter((difference) => {
    const row = rows.find((candidate) => accepts(candidate, difference))
    if (row) used.add(row)
    return row === undefined
  })
  return { differences, rows: [...used] }
}

function endsWith({ what }: AcceptedDifference, ours: Aspects): boolean {
  if (what.kind !== 'error') return false
  const said = ['error code', 'error message', 'error cause'].map((aspect) => ours[aspect] ?? '')
  return (
    said.some((text) => text.includes(what.says)) && what.sent.test(ours['requests begun'] ?? '')
  )
}

function accepts({ what }: AcceptedDifference, { aspect, ours }: Difference): boolean {
  return what.kind === 'aspects' && what.aspects.test(aspect) && what.ours.test(ours)
}
