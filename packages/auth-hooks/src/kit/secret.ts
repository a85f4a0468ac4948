const redacted = '[redacted]'

// Node, Bun and Deno show what this method returns in `util.inspect` and `console.log`.
const inspect: unique symbol = /* @__PURE__ */ Symbol.for('nodejs.util.inspect.custom')

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

  /** @internal */
  [inspect](): string {
    return redacted
  }

  /** Always `[redacted]`. */
  toJSON(): string {
    return redacted
  }
}
