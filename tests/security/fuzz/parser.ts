/** Something that reads what strangers write. */
export interface Parser {
  readonly name: string
  /** Inputs that it reads: what is tried is made from these. */
  readonly samples: readonly string[]
  /** The pieces of its grammar, to build, to insert and to repeat. */
  readonly tokens: readonly string[]
  /** Reads a text; throws or rejects where it does anything else than it says. */
  readonly check: (text: string) => void | Promise<void>
}
