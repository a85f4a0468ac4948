import { AuthError } from '@svc/auth-hooks'
import {
  assertNoDotSegment,
  assertScheme,
  check,
  checkFunctions,
  checkOptions,
  emit,
  matchOrigins,
  type OptionNames,
  readPath,
  uncovered,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, AuthScheme } from '@svc/types'
import {
  type CompiledRoute,
  compileRoute,
  foldCase,
  orderRoutes,
  readPathOption,
  type Route,
} from './routes.ts'
import { readSegments, withoutEndSlashes } from './templates.ts'

/** Options of {@link createRouteAuthSelector}. */
export interface RouteAuthSelectorOptions {
  /**
   * The origins that requests may go to; the `*` in `https://*.example.com` stands for one label.
   * An empty list allows nothing.
   */
  readonly origins: readonly (string | URL)[]
  /**
   * The path that routes are relative to, matched case-sensitively in whole segments. Anything
   * outside it is not covered.
   *
   * @default `'/'`
   */
  readonly basePath?: string | undefined
  /** The routes, in order: the first that matches a request chooses its scheme. */
  readonly routes: readonly Route[]
  /** The scheme for requests that no route matches; with `'reject'` such a request is an `ERR_AUTH_ORIGIN`. */
  readonly otherwise: AuthScheme | 'reject'
  /**
   * Called with each choice: `route.chosen`. Errors it throws are ignored.
   *
   * @default none
   */
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
}

const caller = '[@svc/route-auth-selector] createRouteAuthSelector'

/** The name under which schemes carry their signer, for tools that explain or presign requests. */
export const signerSymbol: unique symbol = Symbol.for('svc-auth.signer.1')

/** The name under which schemes carry their base URL, for the same tools; a selector carries the list of its own. */
const baseSymbol: unique symbol = Symbol.for('svc-auth.base.1')

/**
 * Creates a scheme that chooses between schemes by the method and path of each request.
 *
 * The path is read as a server would see it: percent-decoded once, repeated slashes collapsed. It is
 * matched in whole segments, with ASCII letters in any case.
 *
 * @throws TypeError if an option is wrong; the message names it.
 * @throws AuthError from `authorize`: `ERR_AUTH_URL` if a server might read a segment of the path as a
 * dot segment; `ERR_AUTH_ORIGIN` if the URL is outside the origins or the base path, or the chosen
 * scheme does not cover it; and whatever the chosen scheme throws.
 * @example
 * import type { AuthScheme } from '@svc/auth-hooks'
 * import { anonymous, authFetch, createRouteAuthSelector } from '@svc/route-auth-selector'
 *
 * declare const token: AuthScheme
 * declare const sigv4: AuthScheme
 * const auth = createRouteAuthSelector({
 *   origins: ['https://search.example.com'],
 *   routes: [
 *     { path: '/user/login', method: 'POST', use: anonymous() },
 *     { prefix: '/user', use: token },
 *   ],
 *   otherwise: sigv4,
 * })
 * const serviceFetch = authFetch(auth, { baseUrl: 'https://search.example.com' })
 * const response = await serviceFetch('/user/groups')
 * console.log(await response.json())
 * @see https://url.spec.whatwg.org/#dom-url-pathname
 */
export function createRouteAuthSelector(options: RouteAuthSelectorOptions): AuthScheme {
  const { routes, routesTo, listed, onEvent } = readSettings(options)

  /** Returns the route of a request; without a method, the first that is for every method. */
  const choose = (url: URL, method?: string): CompiledRoute | undefined =>
    routesTo(url).find((route) => !route.method || route.method === method?.toUpperCase())

  /** Returns the route of a request whose method is not known: the first for every method, else one that covers it. */
  const chooseForAny = (url: URL): CompiledRoute | undefined =>
    choose(url) ?? routesTo(url).find(({ use }) => use.covers(url))

  const chooseCovering = (url: URL, method: string): CompiledRoute => {
    assertNoDotSegment(url, `[@svc/route-auth-selector] ${method}`)
    const chosen = choose(url, method)
    // A promise, of a scheme without types, says neither yes nor no.
    if (chosen?.use.covers(url) === true) return chosen
    const reason = chosen
      ? `, by its route ${chosen.label}, ${uncovered(chosen.use, url)}`
      : chooseForAny(url)
        ? ' is for other methods alone: no route takes it'
        : ` ${uncovered(selector, url)}`
    throw new AuthError(
      'ERR_AUTH_ORIGIN',
      `[@svc/route-auth-selector] ${method} ${url.origin}${url.pathname}${reason}`,
    )
  }

  const selector: AuthScheme & Record<typeof signerSymbol | typeof baseSymbol, unknown> = {
    name: 'route',
    sensitiveHeaders: Object.freeze([
      ...new Set(routes.flatMap(({ use }) => use.sensitiveHeaders ?? [])),
    ]),

    covers: (url, from) => chooseForAny(url)?.use.covers(url, from) ?? false,

    coverage(url) {
      const chosen = chooseForAny(url)
      const own = `${listed} (set by baseUrl, or by origins and basePath)`
      return chosen ? `${own}; by its route ${chosen.label} it ${uncovered(chosen.use, url)}` : own
    },

    authorize(request) {
      const { method, url } = request
      const chosen = chooseCovering(url, method)
      emit(onEvent, () => ({
        type: 'route.chosen',
        scheme: chosen.use.name,
        origin: url.origin,
        method,
        path: url.pathname,
        route: chosen.label,
      }))
      return chosen.use.authorize(request)
    },

    async prepare(request) {
      const use = choose(request.url, request.method)?.use
      if (use?.covers(request.url) === true) await use.prepare?.(request)
    },

    [baseSymbol]: listed,
    [signerSymbol](method: string, url: URL): unknown {
      const carried: unknown = Reflect.get(chooseCovering(url, method).use, signerSymbol)
      // Of a selector within a selector.
      return typeof carried === 'function'
        ? Reflect.apply(carried, undefined, [method, url])
        : carried
    },
  }
  return Object.freeze(selector)
}

/** Checks and reads the options. `routes` are in their order, `otherwise` at the end; `listed` is for messages. */
function readSettings(options: RouteAuthSelectorOptions) {
  const given = checkOptions(options, caller, optionNames)
  const { basePath = '/', otherwise, routes: givenRoutes, onEvent } = given
  const isListed = matchOrigins(given.origins, caller, 'origins')
  const base = readPathOption(basePath, caller, 'basePath')
  check(Array.isArray(givenRoutes), caller, 'routes must be an array of routes')
  const routes = Array.from(givenRoutes as readonly Route[], (route, index) =>
    compileRoute(route, caller, `routes[${index}]`),
  )
  if (otherwise !== 'reject') {
    assertScheme(otherwise, caller, 'otherwise')
    routes.push({ label: 'otherwise', use: otherwise, method: undefined, matches: () => true })
  }
  checkFunctions({ onEvent }, caller)
  const above = withoutEndSlashes(basePath)
  const listed = given.origins.map((origin) => withoutEndSlashes(String(origin)) + above)
  const routesTo = createFinder(routes, isListed, base)
  return { routes, routesTo, listed: listed.join(', ') || 'nothing', onEvent }
}

/**
 * Returns the function that finds the routes to a URL, in the order in which they count, for whatever method.
 *
 * @param base - The base path, as `readPath` reads it.
 */
function createFinder(
  routes: readonly CompiledRoute[],
  isListed: (url: URL) => boolean,
  base: string,
): (url: URL) => readonly CompiledRoute[] {
  const ordered = orderRoutes(routes)
  const baseSegments = readSegments(base)

  const find = (url: URL): readonly CompiledRoute[] => {
    if (!isListed(url)) return []
    const { pathname } = url
    const path = readPath(pathname)
    if (!path.startsWith(base)) return []
    const exact = path.slice(base.length - 1)
    let segments: readonly string[] | undefined
    /** Those below the base: none where an encoded slash stands for one in it. */
    const read = (): readonly string[] => {
      const all = readSegments(pathname)
      const isBelow = baseSegments.every((segment, index) => segment === all[index])
      return isBelow ? all.slice(baseSegments.length) : []
    }
    const relative = { exact, folded: foldCase(exact), segments: () => (segments ??= read()) }
    return ordered.filter((route) => route.isAt?.(url) !== false && route.matches(relative))
  }

  /** The URL that was read last: each request asks about its own several times, and clients repeat requests. */
  let last: { readonly href: string; readonly routes: readonly CompiledRoute[] } | undefined
  return (url) => {
    const { href } = url
    if (last?.href !== href) last = { href, routes: find(url) }
    return last.routes
  }
}

const optionNames: OptionNames<RouteAuthSelectorOptions> = {
  origins: 'origin baseUrl urls hosts',
  basePath: 'prefix',
  routes: 'rules paths',
  otherwise: 'default fallback',
  onEvent: '',
}
