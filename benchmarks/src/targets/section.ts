import type { MeasuredResults } from '../measured-results.ts'
import { table } from '../report/table.ts'
import { targets } from './targets.ts'

/** Returns a table of the targets, each with its measurement; nothing if none was measured. */
export function targetsSection(results: MeasuredResults): string {
  const rows = targets.flatMap(({ what, bound, aim, show, measure, obstacle }) => {
    const value = measure(results)
    if (value === undefined) return []
    const isBeyondAim = aim !== undefined && value > aim
    return [
      [
        what,
        `≤ ${show(bound)}`,
        show(value),
        value <= bound ? 'met' : '**missed**',
        aim === undefined ? '' : show(aim),
        isBeyondAim ? (obstacle?.(results) ?? '') : '',
      ],
    ]
  })
  if (rows.length === 0) return ''
  return `A target is a bound. The aim is where the next change goes on, with what weighs most on the way there.

${table(['', 'at most', 'measured', '', 'aim', 'in the way'], rows)}`
}

/** Counts the targets that were measured. */
export function countTargets(results: MeasuredResults): { met: number; missed: number } {
  const count = { met: 0, missed: 0 }
  for (const { bound, measure } of targets) {
    const value = measure(results)
    if (value !== undefined) count[value <= bound ? 'met' : 'missed'] += 1
  }
  return count
}
