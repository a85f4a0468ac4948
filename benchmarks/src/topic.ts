import type { Effort } from './effort.ts'

/** A subject of the benchmarks, with its own section of the page. */
export interface Topic<Result> {
  readonly title: string
  /** Measures, and reports its progress to `note`. */
  run(effort: Effort, note: (text: string) => void): Promise<Result>
  /** Writes its section of the page in Markdown, without the title. */
  section(result: Result): string
}
