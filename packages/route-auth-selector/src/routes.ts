import {
  assertScheme,
  check,
  checkOptions,
  isHttpToken,
  matchOrigins,
  type OptionNames,
  readPath,
} from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { compareTemplates, matchesTemplate, readTemplate, type Template } from './templates.ts'

/** What every route has. */
interface AnyRoute {
  /** The scheme for requests that the route matches. */
  readonly use: AuthScheme
  /**
   * The origins that have the route, among those of the selector.
   *
   * @default all of them
   */
  readonly origins?: readonly (string | URL)[] | undefined
}

/** A route to one path, in any case, with or without a trailing slash. */
export interface PathRoute extends AnyRoute {
  /** The path, relative to the base path, beginning with a slash. */
  readonly path: string
  /**
   * The only method that the route matches, in any case.
   *
   * @default every method
   */
  readonly method?: string | undefined
  /** Only for a {@link PrefixRoute}. */
  readonly prefix?: undefined
  /** Only for a {@link PrefixRoute}. */
  readonly caseSensitive?: undefined
  /** Only for a {@link TemplateRoute}. */
  readonly template?: undefined
}

/**
 * A route to the paths of a template such as `/users/{id}`, case-sensitive, with or without a trailing slash. A
 * variable stands for one segment or a part of it, and an encoded slash is a part of its segment. Of several
 * such routes, whatever their order, the one with a concrete segment furthest to the left is chosen.
 *
 * @see https://spec.openapis.org/oas/v3.1.1#paths-object
 */
export interface TemplateRoute extends AnyRoute {
  /** The template, relative to the base path, beginning with a slash. */
  readonly template: string
  /**
   * The only method that the route matches, in any case.
   *
   * @default every method
   */
  readonly method?: string | undefined
  /** Only for a {@link PathRoute}. */
  readonly path?: undefined
  /** Only for a {@link PrefixRoute}. */
  readonly prefix?: undefined
  /** Only for a {@link PrefixRoute}. */
  readonly caseSensitive?: undefined
}

/** A route to a path and everything below it, in whole segments: `/users` is not below `/user`. */
export interface PrefixRoute extends AnyRoute {
  /** The path, relative to the base path, beginning with a slash. */
  readonly prefix: string
  /**
   * `true` if `/User` and `/user` are different paths.
   *
   * @default `false`
   */
  readonly caseSensitive?: boolean | undefined
  /** Only for a {@link PathRoute}. */
  readonly path?: undefined
  /** Only for a {@link PathRoute}. */
  readonly method?: undefined
  /** Only for a {@link TemplateRoute}. */
  readonly template?: undefined
}

/** An entry of `routes`: the first that matches a request chooses its scheme. */
export type Route = PathRoute | PrefixRoute | TemplateRoute

/** The path of a request, relative to the base path. */
export interface RequestPath {
  /** Read by `readPath`. */
  readonly exact: string
  /** The same with the case of ASCII letters folded. */
  readonly folded: string
  /** Returns its segments, in which an encoded slash separates nothing. */
  readonly segments: () => readonly string[]
}

/** A route that has been checked, with its path read. */
export interface CompiledRoute {
  /** The route's own path, prefix or template, as it is written, or `otherwise`. */
  readonly label: string
  readonly use: AuthScheme
  /** The method in upper case; `undefined` for every method. */
  readonly method: string | undefined
  readonly template?: Template | undefined
  /** Returns `true` if the route takes this path. */
  matches(path: RequestPath): boolean
  /** Returns `true` if the origin of a URL has the route; absent if all have it. */
  readonly isAt?: ((url: URL) => boolean) | undefined
}

const routeNames: OptionNames<Route> = {
  path: 'url pathname',
  prefix: '',
  template: '',
  method: 'methods',
  caseSensitive: '',
  use: 'scheme auth',
  origins: 'servers',
}

/**
 * Checks and reads a route.
 *
 * @throws TypeError if a field is wrong; the message names it, such as `routes[0].prefix`.
 */
export function compileRoute(given: Route, caller: string, option: string): CompiledRoute {
  const route = checkOptions(given, `${caller}: ${option}`, routeNames)
  const { method, caseSensitive, use, origins } = route
  const kinds = (['path', 'prefix', 'template'] as const).filter((one) => route[one] !== undefined)
  const [kind = 'prefix', other] = kinds
  check(
    other === undefined,
    caller,
    `${option} must have one of path, prefix and template: ${option}.${other} is set too`,
  )
  assertScheme(use, caller, `${option}.use`)
  const label = route[kind] as string
  const name = `${option}.${kind}`
  const isMethod = method === undefined || isHttpToken(method)
  check(isMethod, caller, `${option}.method must be an HTTP method such as GET`)
  const isCase = caseSensitive === undefined || typeof caseSensitive === 'boolean'
  check(isCase, caller, `${option}.caseSensitive must be a boolean`)
  // Ignoring a method would open the route to every other one.
  const [unfit, owner] = kind === 'prefix' ? ['method', 'path'] : ['caseSensitive', 'prefix']
  const isFit = (kind === 'prefix' ? method : caseSensitive) === undefined
  check(isFit, caller, `${option}.${unfit} is only for a route with ${owner}`)
  const isAt = origins && matchOrigins(origins, caller, `${option}.origins`)
  const whole = readPathOption(label, caller, name)
  const template = kind === 'template' ? readTemplate(label, caller, name) : undefined
  const wanted = caseSensitive ? whole : foldCase(whole)
  return {
    label,
    use,
    method: method?.toUpperCase(),
    template,
    isAt,
    matches({ exact, folded, segments }) {
      if (template) return matchesTemplate(template, segments())
      return kind === 'prefix'
        ? (caseSensitive ? exact : folded).startsWith(wanted)
        : folded === wanted
    },
  }
}

/** Puts routes with templates in order, at the places that they have among the others. */
export function orderRoutes(routes: readonly CompiledRoute[]): readonly CompiledRoute[] {
  const ordered = routes
    .filter(({ template }) => template)
    .sort((one, other) => compareTemplates(one.template ?? [], other.template ?? []))
    .values()
  return routes.map((route) => (route.template ? (ordered.next().value ?? route) : route))
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
