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
