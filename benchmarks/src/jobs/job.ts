/** A measurement that runs in a process, or a page, of its own. */
export interface Job<Parameters, Result> {
  /** The module that runs it, as seen from this folder. */
  readonly entry: string
  // Never set: it ties both types to the job.
  readonly types?: (parameters: Parameters) => Result
}
