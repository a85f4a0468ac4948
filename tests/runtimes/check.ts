/** One thing that holds in every runtime; throws where it does not. */
export interface Check {
  readonly name: string
  /** The client that it tries, if it tries one. */
  readonly client?: string
  /** Gives `refused` where the runtime cannot do it, and a typed error says so. */
  run(): Promise<'refused' | void>
}
