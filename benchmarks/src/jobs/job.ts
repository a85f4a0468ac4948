/** A measurement that runs in a process, or a page, of its own. */
export interface Job<Parameters, Result> {
  /** The module that runs it, as seen from this folder. */
  readonly entry: string
  // They stand in the type alone.
  readonly types?: (parameters: Parameters) => Result
}
