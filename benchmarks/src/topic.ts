import type { TopLevelSpec } from 'vega-lite'
import type { Effort } from './effort.ts'

/** One of the things that are measured. */
export interface Topic<Result> {
  readonly name: string
  readonly title: string
  /** Measures; `note` tells the one who waits what is under way. */
  run(effort: Effort, note: (text: string) => void): Promise<Result>
  /** Its section of the page, without the title. */
  section(result: Result): Section
}

/** What the page shows of a topic. */
export interface Section {
  readonly markdown: string
  /** By the name of the file, without `.svg`, which the Markdown refers to. */
  readonly plots?: Readonly<Record<string, TopLevelSpec>>
}
