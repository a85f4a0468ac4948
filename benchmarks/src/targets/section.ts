import type { MeasuredResults } from '../measured-results.ts'
import { table } from '../report/table.ts'
import { otherTargets } from './other-targets.ts'
import { signingTargets } from './signing-targets.ts'

/** Returns a table of the targets of the design, each with its measurement. */
export function targetsSection(results: MeasuredResults): string {
  const rows = [...signingTargets, ...otherTargets].flatMap(({ what, target, measure }) => {
    const measurement = measure(results)
    if (!measurement) return []
    const { measured, isMet, besides = '' } = measurement
    return [[what, target, measured, isMet ? 'met' : '**missed**', besides]]
  })
  return rows.length === 0 ? '' : table(['', 'target', 'measured', '', 'for comparison'], rows)
}
