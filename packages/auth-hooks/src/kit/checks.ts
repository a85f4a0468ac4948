import type { AuthScheme } from '@svc/types'

/**
 * Throws a `TypeError` unless an option is right. The message begins with the caller, such as
 * `[@svc/auth-token] createTokenAuth: vendorPrefix must be …`.
 *
 * @param caller - The package in brackets and the function, such as `[my-package] createMyAuth`.
 * @param requirement - The option and what it must be.
 * @example
 * import { check } from '@svc/auth-hooks/scheme'
 *
 * export function createKeyAuth(key: string): void {
 *   check(key !== '', '[my-package] createKeyAuth', 'key must not be empty')
 * }
 */
export function check(isRight: unknown, caller: string, requirement: string): asserts isRight {
  if (!isRight) throw new TypeError(`${caller}: ${requirement}`)
}

/**
 * Checks that options are an object.
 *
 * @throws TypeError naming the caller.
 * @example
 * import { checkOptions } from '@svc/auth-hooks/scheme'
 *
 * export function createKeyAuth(options: { key: string }): void {
 *   checkOptions(options, '[my-package] createKeyAuth')
 * }
 */
export function checkOptions(options: unknown, caller: string): asserts options is object {
  check(typeof options === 'object' && options !== null, caller, 'options must be an object')
}

/**
 * Checks options that are functions where they are given.
 *
 * @param functions - The options by name.
 * @throws TypeError naming the option that is not a function.
 * @example
 * import { checkFunctions } from '@svc/auth-hooks/scheme'
 *
 * export function createKeyAuth({ clock }: { clock?: () => number }): void {
 *   checkFunctions({ clock }, '[my-package] createKeyAuth')
 * }
 */
export function checkFunctions(functions: Readonly<Record<string, unknown>>, caller: string): void {
  for (const [name, value] of Object.entries(functions)) {
    check(value === undefined || typeof value === 'function', caller, `${name} must be a function`)
  }
}

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
 *   assertScheme(inner, '[my-package] logged', 'inner')
 *   return { ...inner, name: `logged ${inner.name}` }
 * }
 * @see {@link AuthScheme}
 */
export function assertScheme(scheme: AuthScheme, caller: string, option: string): void {
  const isScheme =
    typeof scheme?.name === 'string' &&
    typeof scheme.covers === 'function' &&
    typeof scheme.authorize === 'function' &&
    (scheme.prepare === undefined || typeof scheme.prepare === 'function')
  check(isScheme, caller, `${option} must be an AuthScheme with name, covers and authorize`)
  const { sensitiveHeaders = [] } = scheme
  const areNames = Array.isArray(sensitiveHeaders) && sensitiveHeaders.every(isHttpToken)
  check(areNames, caller, `${option}.sensitiveHeaders must be an array of header names`)
}

/**
 * Tells if a value is an HTTP token, as header names and methods are.
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

/**
 * Tells if a value is a `Request`: of this realm, of another, or of a package.
 *
 * @example
 * import { isRequest } from '@svc/auth-hooks/scheme'
 *
 * console.log(isRequest(new Request('https://search.example.com')), isRequest('a URL')) // true false
 * @see https://fetch.spec.whatwg.org/#request-class
 */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value
}

/**
 * Returns a method as `fetch` sends it: the standard ones in upper case. `patch` is none of them for
 * `fetch`, but nothing serves it.
 *
 * @example
 * import { normalizeMethod } from '@svc/auth-hooks/scheme'
 *
 * console.log(normalizeMethod('put'), normalizeMethod('purge')) // PUT purge
 * @see https://fetch.spec.whatwg.org/#concept-method-normalize
 */
export function normalizeMethod(method: string): string {
  return /^(?:delete|get|head|options|patch|post|put)$/i.test(method)
    ? method.toUpperCase()
    : method
}

/**
 * Tells if a response of this status redirects, given a `location`.
 *
 * @example
 * import { isRedirectStatus } from '@svc/auth-hooks/scheme'
 *
 * console.log(isRedirectStatus(307), isRedirectStatus(304)) // true false
 * @see https://fetch.spec.whatwg.org/#redirect-status
 */
export function isRedirectStatus(status: number): boolean {
  return status > 300 && status < 309 && [301, 302, 303, 307, 308].includes(status)
}
