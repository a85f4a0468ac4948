/** A fault of other libraries, run against a token session. */
export interface Scenario {
  readonly fault: string
  /** What was measured of others, or reported where nothing was measured. */
  readonly others: string
  /** What a session has to come to. */
  readonly expected: string
  /** What it came to. */
  readonly run: () => Promise<string>
}
