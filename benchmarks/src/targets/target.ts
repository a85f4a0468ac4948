import type { MeasuredResults } from '../measured-results.ts'

/** One line of the targets of the design. */
export interface Target {
  readonly what: string
  /** The target as the page shows it: `≥ 5 ×`. */
  readonly target: string
  /** Returns the measurement, or nothing if its topic was left out. */
  readonly measure: (results: MeasuredResults) => Measurement | undefined
}

/** The measurement of a target. */
export interface Measurement {
  readonly measured: string
  readonly isMet: boolean
  /** A figure for comparison, such as a floor that no change of ours would lower. */
  readonly besides?: string
}
