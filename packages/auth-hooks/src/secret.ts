const redacted = '[redacted]'

/**
 * A string that does not show itself: not in `util.inspect`, JSON, a template or a log.
 *
 * @example
 * const key = new Secret('wJalrXUtnFEMI')
 * console.log(`${key}`) // [redacted]
 * key.reveal() // 'wJalrXUtnFEMI'
 */
export class Secret {
  static {
    // What `util.inspect` and `console.log` of Node, Bun and Deno ask for.
    const inspect = Symbol.for('nodejs.util.inspect.custom')
    Object.defineProperty(this.prototype, inspect, { value: () => redacted })
  }

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
}
