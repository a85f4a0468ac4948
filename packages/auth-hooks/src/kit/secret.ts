const redacted = '[redacted]'

/**
 * A string that stays hidden in `util.inspect`, JSON, template literals and logs.
 *
 * @example
 * import { Secret } from '@svc/auth-hooks'
 *
 * const key = new Secret('wJalrXUtnFEMI')
 * console.log(`${key}`) // [redacted]
 * console.log(key.reveal()) // wJalrXUtnFEMI
 */
export class Secret {
  static {
    // `util.inspect` and `console.log` of Node, Bun and Deno call it.
    const inspect = Symbol.for('nodejs.util.inspect.custom')
    Object.defineProperty(this.prototype, inspect, { value: () => redacted })
  }

  readonly #value: string

  /** Holds a string; only {@link reveal} returns it. */
  constructor(value: string) {
    this.#value = value
  }

  /** The string itself. */
  reveal(): string {
    return this.#value
  }

  /** Always `[redacted]`. */
  toString(): string {
    return redacted
  }

  /** Always `[redacted]`. */
  toJSON(): string {
    return redacted
  }
}
