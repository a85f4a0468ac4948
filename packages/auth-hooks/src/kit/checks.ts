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
 * The names of all options, each with those that other libraries have for it, separated by spaces.
 *
 * @template Options - Their type: the compiler rejects a name that is missing here or that it does not have.
 */
export type OptionNames<Options> = Readonly<Record<keyof Options, string>>

/**
 * Reads options once: returns a copy with the known names alone.
 *
 * @param names - The names of all options.
 * @param hint - Added to the message of a name that is like none of them.
 * @throws TypeError naming the caller if they are no plain object, cannot be read, or have a name that is
 * not known and whose value is not `undefined`; it suggests the name that was meant, or lists them all.
 * @example
 * import { checkOptions } from '@svc/auth-hooks/scheme'
 *
 * interface KeyOptions {
 *   key: string
 *   baseUrl?: string
 * }
 *
 * export function createKeyAuth(options: KeyOptions): void {
 *   const names = { key: 'secret token', baseUrl: 'url' }
 *   const { key, baseUrl } = checkOptions(options, '[my-package] createKeyAuth', names)
 *   console.log(key, baseUrl)
 * }
 */
export function checkOptions<Options extends object>(
  options: Options,
  caller: string,
  names: OptionNames<NoInfer<Options>>,
  hint = '',
): Options {
  const known = Object.keys(names)
  let unknown: string | undefined
  let copy: object | undefined
  try {
    // A `URL` or a `Map` has no names of its own, and would pass for no options at all.
    if (/^.object (?:Object|Module).$/.test(Object.prototype.toString.call(options))) {
      unknown = Object.keys(options).find(
        (name) => !known.includes(name) && Reflect.get(options, name) !== undefined,
      )
      copy = Object.fromEntries(known.map((name) => [name, readOption(options, name)]))
    }
  } catch {
    // Without the cause, which may quote a secret.
    check(false, caller, 'options must be readable')
  }
  const list = known.join(', ')
  check(copy, caller, `options must be an object with any of ${list}`)
  if (unknown !== undefined) {
    const meant = knownName(unknown, names)
    const remedy = meant ? `did you mean ${meant}?` : `the options are ${list}${hint}`
    check(false, caller, `${shownName(unknown)} is not an option; ${remedy}`)
  }
  // `copy` has exactly the keys of `Options`.
  return copy as Options
}

/** Reads an option, also an inherited one, but none of `Object.prototype`, which others may have polluted. */
function readOption(options: object, name: string): unknown {
  const value: unknown = Reflect.get(options, name)
  const isPolluted = value === Reflect.get(Object.prototype, name) && !Object.hasOwn(options, name)
  return isPolluted ? undefined : value
}

/**
 * Returns the requirement that data breaks by a name that is not known but stands for a known one that is absent:
 * one of the wire or of another library, or in another case. Any other name is accepted.
 *
 * @param option - The name of the data, for the requirement.
 * @param names - The known names, each with those that other libraries have for it, separated by spaces.
 */
export function misnamed(
  data: object,
  option: string,
  names: Readonly<Record<string, string>>,
): string | undefined {
  const isGiven = (name: string): boolean => Reflect.get(data, name) !== undefined
  for (const name of Object.keys(data)) {
    const meant = Object.hasOwn(names, name) ? undefined : knownName(name, names)
    // A getter of another name is left alone.
    if (meant && !isGiven(meant) && isGiven(name)) {
      return `${option}.${shownName(name)} is not known; did you mean ${meant}?`
    }
  }
  return undefined
}

/** Returns the known name that a name stands for: written in another case or with `_` or `-`, or another library's. */
function knownName(given: string, names: Readonly<Record<string, string>>): string | undefined {
  const letters = lettersOf(given)
  return Object.keys(names).find((name) =>
    [name, ...(names[name] ?? '').split(' ')].some((candidate) => lettersOf(candidate) === letters),
  )
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** Returns a name for a message, unless it may be something else, such as a secret at the wrong place. */
function shownName(name: string): string {
  return /^[\w$-]{1,40}$/.test(name) ? name : 'a name'
}

/** Checks options, by name, that are functions where they are given. */
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
 */
export function assertScheme(scheme: AuthScheme, caller: string, option: string): void {
  const isScheme =
    typeof scheme?.name === 'string' &&
    typeof scheme.covers === 'function' &&
    typeof scheme.authorize === 'function' &&
    (scheme.prepare === undefined || typeof scheme.prepare === 'function') &&
    (scheme.coverage === undefined || typeof scheme.coverage === 'function')
  check(isScheme, caller, `${option} must be an AuthScheme with name, covers and authorize`)
  const misnomer = misnamed(scheme, option, schemeNames)
  if (misnomer) check(false, caller, misnomer)
  const { sensitiveHeaders = [] } = scheme
  checkHeaderPatterns(sensitiveHeaders, caller, `${option}.sensitiveHeaders`)
}

const schemeNames: OptionNames<AuthScheme> = {
  name: '',
  covers: '',
  coverage: '',
  sensitiveHeaders: '',
  authorize: '',
  prepare: '',
}

/** Checks an array of header names and `prefix-*`; a `*` elsewhere would match nothing. */
export function checkHeaderPatterns(patterns: unknown, caller: string, option: string): void {
  const arePatterns =
    Array.isArray(patterns) &&
    patterns.every((name) => isHttpToken(name) && /^[^*]+(?:-\*)?$/.test(name))
  check(
    arePatterns,
    caller,
    `${option} must be an array of header names, or prefixes such as x-my-*`,
  )
}

/** Tells if a value is an HTTP token, as header names and methods are. */
export function isHttpToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\w!#$%&'*+\-.^`|~]+$/.test(value)
}

/** Tells if a value is a `Request`: of this realm, of another, or of a package. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && 'url' in value && 'clone' in value
}

/**
 * Returns a method as `fetch` sends it: the standard ones in upper case. `patch` is none of them for
 * `fetch`, but nothing serves it.
 */
export function normalizeMethod(method: string): string {
  return /^(?:delete|get|head|options|patch|post|put)$/i.test(method)
    ? method.toUpperCase()
    : method
}

/** Tells if a response of this status redirects, given a `location`. */
export function isRedirectStatus(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}
