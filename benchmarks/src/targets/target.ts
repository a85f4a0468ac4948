import type { MeasuredResults } from '../measured-results.ts'

/** One line of the targets of the design. */
export interface Target {
  readonly what: string
  /** As it is written down: `≥ 5 ×`. */
  readonly target: string
  /** What was measured; nothing where its topic was left out. */
  readonly measure: (results: MeasuredResults) => Measurement | undefined
}

/** What was measured of a target. */
export interface Measurement {
  readonly measured: string
  readonly isMet: boolean
  /** What was measured of that which no change of ours would take away. */
  readonly besides?: string
}
