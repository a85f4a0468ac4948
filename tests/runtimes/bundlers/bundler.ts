/** A bundle of a module for the browser, made in the default configuration for production. */
export interface Bundled {
  readonly code: string
  /** Its complaints. */
  readonly warnings: readonly string[]
}

/** Bundles one module for the browser. */
export interface Bundler {
  readonly name: string
  bundle(entry: string): Promise<Bundled>
}
