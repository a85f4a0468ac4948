/** What one runtime made of the checks. */
export interface Report {
  readonly passed: number
  /** One line for each check that failed. */
  readonly failures: readonly string[]
}
