const redacted = '[redacted]'
// What `util.inspect` and `console.log` of Node, Bun and Deno ask for.
const inspect: unique symbol = Symbol.for("nodejs.util.inspect.custom")

/**
 * A string that does not show itself: not in `util.inspect`, JSON, a template or a log.
 *
 * @example
 * const key = new Secret('wJalrXUtnFEMI')
 * console.log(`${key}`) // [redacted]
 * key.reveal() // 'wJalrXUtnFEMI'
 */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The string itself. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return redacted
  }

  toJSON(): string {
    return redacted
  }

  [inspect](): string {
    return redacted
  }
}
