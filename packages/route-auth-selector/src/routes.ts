import {
  assertScheme,
  check,
  checkOptions,
  isHttpToken,
  type OptionNames,
  readPath,
} from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'

/** A route to one path, in any case, with or without a trailing slash. */
export interface PathRoute {
  /** The path, relative to the base path, beginning with a slash. */
  readonly path: string
  /**
   * The only method that the route matches, in any case.
   *
   * @default every method
   */
  readonly method?: string | undefined
  /** The scheme for requests that the route matches. */
  readonly use: AuthScheme
  /** Only for a {@link PrefixRoute}. */
  readonly prefix?: undefined
  /** Only for a {@link PrefixRoute}. */
  readonly caseSensitive?: undefined
}

/** A route to a path and everything below it, in whole segments: `/users` is not below `/user`. */
export interface PrefixRoute {
  /** The path, relative to the base path, beginning with a slash. */
  readonly prefix: string
  /**
   * `true` if `/User` and `/user` are different paths.
   *
   * @default `false`
   */
  readonly caseSensitive?: boolean | undefined
  /** The scheme for requests that the route matches. */
  readonly use: AuthScheme
  /** Only for a {@link PathRoute}. */
  readonly path?: undefined
  /** Only for a {@link PathRoute}. */
  readonly method?: undefined
}

/** An entry of `routes`: the first that matches a request chooses its scheme. */
export type Route = PathRoute | PrefixRoute

/** The path of a request, relative to the base path and read by `readPath`. */
interface RequestPath {
  readonly exact: string
  /** The same with the case of ASCII letters folded. */
  readonly folded: string
}

/** A route that has been checked, with its path read. */
export interface CompiledRoute {
  /** The option that holds the scheme, such as `routes[0].use`. */
  readonly option: string
  /** The route's own `path` or `prefix`, as it is written, or `otherwise`. */
  readonly label: string
  /** The same path; empty for `otherwise`. */
  readonly path: string
  readonly use: AuthScheme
  /** The method in upper case; `undefined` for every method. */
  readonly method: string | undefined
  /** Returns `true` if the route takes this path. */
  matches(path: RequestPath): boolean
}

const routeNames: OptionNames<Route> = {
  path: 'url pathname',
  prefix: '',
  method: 'methods',
  caseSensitive: '',
  use: 'scheme auth',
}

/**
 * Checks and reads a route.
 *
 * @throws TypeError if a field is wrong; the message names it, such as `routes[0].prefix`.
 */
export function compileRoute(given: Route, caller: string, option: string): CompiledRoute {
  const isObject = typeof given === 'object' && given !== null
  check(isObject, caller, `${option} must be a route with use and either path or prefix`)
  const route = checkOptions(given, `${caller}: ${option}`, routeNames)
  const { path, prefix, method, caseSensitive, use } = route
  check(
    path === undefined || prefix === undefined,
    caller,
    `${option} must have either path or prefix, not both: ${option}.prefix is set too`,
  )
  assertScheme(use, caller, `${option}.use`)
  const isPrefix = path === undefined
  const label = isPrefix ? prefix : path
  const whole = readPathOption(label, caller, `${option}.${isPrefix ? 'prefix' : 'path'}`)
  const isMethod = method === undefined || isHttpToken(method)
  check(isMethod, caller, `${option}.method must be an HTTP method such as GET`)
  const isCase = caseSensitive === undefined || typeof caseSensitive === 'boolean'
  check(isCase, caller, `${option}.caseSensitive must be a boolean`)
  // Ignoring a method would open the route to every other one.
  const [unfit, other] = isPrefix ? ['method', 'path'] : ['caseSensitive', 'prefix']
  const isFit = (isPrefix ? method : caseSensitive) === undefined
  check(isFit, caller, `${option}.${unfit} is only for a route with ${other}`)
  const wanted = caseSensitive ? whole : foldCase(whole)
  return {
    option: `${option}.use`,
    label,
    path: label,
    use,
    method: method?.toUpperCase(),
    matches: ({ exact, folded }) =>
      isPrefix ? (caseSensitive ? exact : folded).startsWith(wanted) : folded === wanted,
  }
}

/**
 * Checks a path among the options, and reads it as that of a URL.
 *
 * @throws TypeError if it is no path; the message names the option.
 */
export function readPathOption(path: unknown, caller: string, option: string): string {
  // The URL parser removes some control characters, which would make it another route.
  const isPath = typeof path === 'string' && path.startsWith('/') && !/[?#\p{Cc}]/u.test(path)
  check(
    isPath,
    caller,
    `${option} must be a path that begins with / and has no ?, # or control character`,
  )
  // The setter encodes as the URL parser does, but the parser would take //user for a host.
  const url = new URL('http://localhost')
  url.pathname = path
  return readPath(url.pathname)
}

/** Folds the case of ASCII letters only: bytes above them are no letters. */
export function foldCase(path: string): string {
  return path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
