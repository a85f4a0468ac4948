import type { AuthScheme } from '@svc/types'
import { assertScheme, isHttpToken } from '@svc/auth-hooks/scheme'
import { foldCase, parsePath } from './route-path.ts'

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
