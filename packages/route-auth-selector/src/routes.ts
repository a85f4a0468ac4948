import { assertScheme, isHttpToken } from '@svc/auth-hooks/scheme'
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
  readonly boundary?: undefined
  /** Only for a {@link PrefixRoute}. */
  readonly caseSensitive?: undefined
}

/** A route to a path and everything below it. */
export interface PrefixRoute {
  /** The path, relative to the base path, beginning with a slash. */
  readonly prefix: string
  /**
   * Where the prefix may end: `segment`, only at the end of a segment, so that `/users` is not
   * below `/user`; `raw`, anywhere.
   *
   * @default `'segment'`
   */
  readonly boundary?: 'segment' | 'raw' | undefined
  /**
   * Whether `/User` and `/user` are different paths.
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

/** A path in both spellings that routes compare with. */
export interface ReadPath {
  readonly exact: string
  readonly folded: string
}

/** A route that has been checked and read. */
export interface CompiledRoute {
  /** The route's own `path` or `prefix`, as it is written. */
  readonly label: string
  readonly use: AuthScheme
  /** In upper case; `undefined` for every method. */
  readonly method: string | undefined
  matches(path: ReadPath): boolean
}

/**
 * Checks and reads a route.
 *
 * @throws TypeError naming the field that is wrong, such as `routes[0].prefix`.
 */
export function compileRoute(option: string, route: Route): CompiledRoute {
  if (typeof route !== 'object' || route === null) {
    throw new TypeError(`${option} must be a route with use and either path or prefix`)
  }
  if (route.path !== undefined && route.prefix !== undefined) {
    throw new TypeError(
      `${option} must have either path or prefix, not both: ${option}.prefix is set too`,
    )
  }
  assertScheme(`${option}.use`, route.use)
  return route.path === undefined ? compilePrefix(option, route) : compilePath(option, route)
}

function compilePath(option: string, route: PathRoute): CompiledRoute {
  const { path, method, use } = route
  const wanted = foldCase(parsePath(`${option}.path`, path))
  if (method !== undefined && !isHttpToken(method)) {
    throw new TypeError(`${option}.method must be an HTTP method such as GET`)
  }
  for (const field of ['boundary', 'caseSensitive'] as const) {
    if (route[field] !== undefined) {
      throw new TypeError(`${option}.${field} is only for a route with prefix`)
    }
  }
  return {
    label: path,
    use,
    method: method?.toUpperCase(),
    matches: ({ folded }) => folded === wanted,
  }
}

function compilePrefix(option: string, route: PrefixRoute): CompiledRoute {
  const { prefix, boundary = 'segment', caseSensitive = false, use } = route
  const whole = parsePath(`${option}.prefix`, prefix)
  // Ignoring it would open the route to every other method.
  if (route.method !== undefined) {
    throw new TypeError(`${option}.method is only for a route with path`)
  }
  if (boundary !== 'segment' && boundary !== 'raw') {
    throw new TypeError(`${option}.boundary must be 'segment' or 'raw'`)
  }
  if (typeof caseSensitive !== 'boolean') {
    throw new TypeError(`${option}.caseSensitive must be a boolean`)
  }
  const isOpen = boundary === 'raw' && !prefix.endsWith('/')
  const start = isOpen ? whole.slice(0, -1) : whole
  const wanted = caseSensitive ? start : foldCase(start)
  return {
    label: prefix,
    use,
    method: undefined,
    matches: ({ exact, folded }) => (caseSensitive ? exact : folded).startsWith(wanted),
  }
}

/**
 * Reads a path as a server would see it: percent-decoded once, repeated slashes folded, dot segments
 * resolved. What comes out begins and ends with a slash (`/user/login/`), so that whole segments
 * compare as plain strings, and holds bytes: one character from U+0000 to U+00FF for each.
 */
export function readPath(pathname: string): string {
  // A stray % is a % to every server that does not refuse it.
  const decoded = pathname.replace(/%[\da-f]{2}/gi, (escape) =>
    String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  )
  const segments: string[] = []
  for (const segment of decoded.split('/')) {
    // An encoded slash hides these from the URL parser, and not from the server behind it.
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return segments.length > 0 ? `/${segments.join('/')}/` : '/'
}

/**
 * Reads a path that stands in the options, in the same way as that of a URL.
 *
 * @throws TypeError naming the option where it is no path.
 */
export function parsePath(option: string, path: unknown): string {
  // Of control characters the URL parser takes some out, and the route would be another one.
  if (typeof path !== 'string' || !path.startsWith('/') || /[?#\p{Cc}]/u.test(path)) {
    throw new TypeError(
      `${option} must be a path that begins with / and has no ?, # or control character`,
    )
  }
  // The setter encodes as the parser does; a path such as //user would be a host to the parser.
  const url = new URL('http://localhost')
  url.pathname = path
  return readPath(url.pathname)
}

/** Folds the case of ASCII letters alone: the bytes above them are no letters. */
export function foldCase(path: string): string {
  return path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
