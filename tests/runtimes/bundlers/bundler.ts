/** What a bundler made of a module for the browser, in its default configuration for production. */
export interface Bundled {
  readonly code: string
  /** Whatever it complained of. */
  readonly warnings: readonly string[]
}

/** Bundles one module for the browser. */
export interface Bundler {
  readonly name: string
  bundle(entry: string): Promise<Bundled>
}
