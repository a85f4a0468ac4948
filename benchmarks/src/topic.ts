import type { TopLevelSpec } from 'vega-lite'
import type { Effort } from './effort.ts'

/** A subject of the benchmarks, with its own section of the page. */
export interface Topic<Result> {
  readonly name: string
  readonly title: string
  /** Measures, and reports its progress to `note`. */
  run(effort: Effort, note: (text: string) => void): Promise<Result>
  /** Writes its section of the page, without the title. */
  section(result: Result): Section
}

/** The section of a topic on the page. */
export interface Section {
  readonly markdown: string
  /** Plots by the name of the file that the Markdown refers to, without `.svg`. */
  readonly plots?: Readonly<Record<string, TopLevelSpec>>
}
