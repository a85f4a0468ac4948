import { AuthError } from '@svc/auth-hooks'
import {
  assertNoDotSegment,
  assertScheme,
  check,
  checkFunctions,
  checkOptions,
  emit,
  matchOrigins,
  readPath,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, AuthScheme } from '@svc/types'
import { type CompiledRoute, compileRoute, foldCase, readPathOption, type Route } from './routes.ts'

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
  /** The scheme for requests that no route matches. */
  readonly otherwise: AuthScheme
  /**
   * Called with each choice: `route.chosen`. Errors it throws are ignored.
   *
   * @default none
   */
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
}

/** The name under which schemes carry their signer, for tools that explain or presign requests. */
const signerSymbol = Symbol.for('svc-auth.signer.1')

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
 * const response = await authFetch(auth)('https://search.example.com/user/groups')
 * console.log(await response.json())
 * @see https://url.spec.whatwg.org/#dom-url-pathname
 */
export function createRouteAuthSelector(options: RouteAuthSelectorOptions): AuthScheme {
  const { isListed, base, routes, otherwise, onEvent } = readSelectorOptions(options)

  /** Returns the route of a request; without a method, the first that is for every method. */
  const choose = (url: URL, method?: string): CompiledRoute | undefined => {
    if (!isListed(url)) return undefined
    const path = readPath(url.pathname)
    if (!path.startsWith(base)) return undefined
    const exact = path.slice(base.length - 1)
    const relative = { exact, folded: foldCase(exact) }
    const upper = method?.toUpperCase()
    const takesMethod = (route: CompiledRoute): boolean =>
      route.method === undefined || route.method === upper
    return routes.find((route) => takesMethod(route) && route.matches(relative)) ?? otherwise
  }

  const chooseCovering = (url: URL, method: string): CompiledRoute => {
    assertNoDotSegment(url, `[@svc/route-auth-selector] ${method}`)
    const chosen = choose(url, method)
    if (chosen?.use.covers(url)) return chosen
    const reason = chosen
      ? `is not covered by the scheme ${chosen.use.name}, chosen by the route ${chosen.label}`
      : "is outside the selector's origins or base path"
    throw new AuthError(
      'ERR_AUTH_ORIGIN',
      `[@svc/route-auth-selector] ${method} ${url.origin}${url.pathname} ${reason}`,
    )
  }

  const selector = {
    name: 'route',
    sensitiveHeaders: Object.freeze([
      ...new Set([...routes, otherwise].flatMap(({ use }) => use.sensitiveHeaders ?? [])),
    ]),

    covers: (url) => choose(url)?.use.covers(url) ?? false,

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
      if (use?.covers(request.url)) await use.prepare?.(request)
    },

    [signerSymbol](method: string, url: URL): unknown {
      const carried: unknown = Reflect.get(chooseCovering(url, method).use, signerSymbol)
      // Of a selector within a selector.
      return typeof carried === 'function'
        ? Reflect.apply(carried, undefined, [method, url])
        : carried
    },
  } satisfies AuthScheme & Record<symbol, unknown>
  return Object.freeze(selector)
}

function readSelectorOptions(options: RouteAuthSelectorOptions) {
  const caller = '[@svc/route-auth-selector] createRouteAuthSelector'
  checkOptions(options, caller)
  const { origins, basePath = '/', routes, otherwise, onEvent } = options
  const isListed = matchOrigins(origins, caller, 'origins')
  const base = readPathOption(basePath, caller, 'basePath')
  check(Array.isArray(routes), caller, 'routes must be an array of routes')
  const compiled = Array.from(routes as readonly Route[], (route, index) =>
    compileRoute(route, caller, `routes[${index}]`),
  )
  assertScheme(otherwise, caller, 'otherwise')
  checkFunctions({ onEvent }, caller)
  const fallback: CompiledRoute = {
    label: 'otherwise',
    use: otherwise,
    method: undefined,
    matches: () => true,
  }
  return { isListed, base, routes: compiled, otherwise: fallback, onEvent }
}
