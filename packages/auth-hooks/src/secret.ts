const redacted = '[redacted]'

/**
 * A string that does not show itself: not in `util.inspect`, JSON, a template or a log.
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
    // What `util.inspect` and `console.log` of Node, Bun and Deno ask for.
    const inspect = Symbol.for('nodejs.util.inspect.custom')
    Object.defineProperty(this.prototype, inspect, { value: () => redacted })
  }

  readonly #value: string

  /** Holds a string; {@link reveal} alone gives it back. */
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
