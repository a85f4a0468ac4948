const redacted = '[redacted]'

/** A base of which `util.inspect` and `console.log` of Node, Bun and Deno show `[redacted]`. */
const Uninspected: new () => object = /* @__PURE__ */ (() => {
  // Not a static block, which the Babel preset of React Native does not take.
  const inspect = Symbol.for('nodejs.util.inspect.custom')
  return class {
    [inspect](): string {
      return redacted
    }
  }
})()

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
export class Secret extends Uninspected {
  readonly #value: string

  /** Holds a string; only {@link reveal} returns it. */
  constructor(value: string) {
    super()
    this.#value = value
  }

  /** The string itself. */
  reveal(): string {
    return this.#value
  }

  /** Always `[redacted]`. */
  override toString(): string {
    return redacted
  }

  /** Always `[redacted]`. */
  toJSON(): string {
    return redacted
  }
}
