/** The outcome of one check. */
export interface CheckResult {
  readonly name: string
  /** The client that was tried, if one was. */
  readonly client?: string
  /** `refused`: the runtime cannot do it, and a typed error says so. */
  readonly outcome: 'passed' | 'refused' | 'failed'
  /** Why it failed. */
  readonly error?: string
}

/** The outcomes of the checks in one runtime, in their order. */
export type Report = readonly CheckResult[]

/** The report of checks that never came to one. */
export function brokenReport(error: unknown): Report {
  return [{ name: 'the checks are run', outcome: 'failed', error: String(error) }]
}
