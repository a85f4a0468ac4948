import type { AuthScheme } from '@svc/types'

/**
 * Checks a scheme passed as an option.
 *
 * @param option - The name of the option, for the message.
 * @throws TypeError naming the option if it is not a scheme.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { assertScheme } from '@svc/auth-hooks/scheme'
 *
 * export function logged(inner: AuthScheme): AuthScheme {
 *   assertScheme('inner', inner)
 *   return { ...inner, name: `logged ${inner.name}` }
 * }
 * @see {@link AuthScheme}
 */
export function assertScheme(option: string, scheme: AuthScheme): void {
  const isScheme =
    typeof scheme?.name === 'string' &&
    typeof scheme.covers === 'function' &&
    typeof scheme.authorize === 'function' &&
    (scheme.prepare === undefined || typeof scheme.prepare === 'function')
  if (!isScheme) {
    throw new TypeError(`${option} must be an AuthScheme with name, covers and authorize`)
  }
}

/**
 * Whether a value is an HTTP token, as header names and methods are.
 *
 * @example
 * import { isHttpToken } from '@svc/auth-hooks/scheme'
 *
 * console.log(isHttpToken('x-api-key'), isHttpToken('x-api-key: 1')) // true false
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2
 */
export function isHttpToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\w!#$%&'*+\-.^`|~]+$/.test(value)
}
