/** A fault of other libraries, run against a token session. */
export interface FaultScenario {
  readonly fault: string
  /** The measurement of others, or a report where nothing was measured. */
  readonly others: string
  /** The outcome that a session must have. */
  readonly expected: string
  /** Runs it and returns its outcome. */
  readonly run: () => Promise<string>
}
