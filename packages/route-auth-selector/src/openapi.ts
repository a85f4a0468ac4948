/**
 * Makes the routes of a selector from an OpenAPI document.
 *
 * @module @svc/route-auth-selector/openapi
 */
import { assertScheme, check, checkOptions, type OptionNames } from '@svc/auth-hooks/scheme'
import type { AuthScheme } from '@svc/types'
import { type Operation, readOperations } from './openapi-document.ts'
import { commonBase, readServers } from './openapi-servers.ts'
import type { RouteAuthSelectorOptions } from './selector.ts'
import { readPathOption, type TemplateRoute } from './routes.ts'
import { anonymous } from './service-routes.ts'
import { readTemplate } from './templates.ts'

/** Options of {@link routesFromOpenApi}. */
export interface RoutesFromOpenApiOptions {
  /**
   * A scheme for each name in `components.securitySchemes` that is used. Where a requirement has two names, the
   * scheme that does both stands under `'a+b'`, in the order of the document or the other.
   */
  readonly schemes: Readonly<Record<string, AuthScheme>>
  /**
   * The base URL, in place of the document's `servers`, which may be relative.
   *
   * @default the servers of the document
   */
  readonly baseUrl?: string | URL | undefined
}

/** Everything that `createRouteAuthSelector` needs of a document. */
export type OpenApiRoutes = Pick<
  RouteAuthSelectorOptions,
  'origins' | 'basePath' | 'routes' | 'otherwise'
>

const caller = '[@svc/route-auth-selector] routesFromOpenApi'

const optionNames: OptionNames<RoutesFromOpenApiOptions> = {
  schemes: 'securitySchemes security auth',
  baseUrl: 'servers server endpoint url host',
}

/**
 * Makes what `createRouteAuthSelector` takes from the `security` of an OpenAPI 3.0, 3.1 or 3.2 document. It is
 * JSON as it was parsed, and only read.
 *
 * - The `security` of an operation counts before that of the document. Of alternatives, the first whose scheme is
 *   given is chosen; `{}`, no authentication, only if no other is. `security: []` is no authentication.
 * - Paths match as {@link TemplateRoute} says: `/users/me` before `/users/{id}`, whatever the order in the document.
 *   `HEAD` is `GET` where the document does not name it.
 * - Other requests get the document's `security`, and are an `ERR_AUTH_ORIGIN` if it has none.
 *
 * @throws TypeError if an option or the document is wrong, or an operation needs a scheme that is not given; the
 * message names its place, such as `paths./users.get.security`.
 * @example
 * import { createTokenAuth } from '@svc/auth-token'
 * import { authFetch, createRouteAuthSelector } from '@svc/route-auth-selector'
 * import { routesFromOpenApi } from '@svc/route-auth-selector/openapi'
 *
 * const baseUrl = 'https://search.example.com'
 * const document = {
 *   openapi: '3.1.0',
 *   paths: {
 *     '/user/groups': { get: { security: [{ token: [] }] } },
 *     '/status': { get: { security: [] } },
 *   },
 * }
 * const credentials = { username: 'reader@example.com', password: 'a password' }
 * const token = createTokenAuth({ baseUrl, credentials })
 * const auth = createRouteAuthSelector(routesFromOpenApi(document, { schemes: { token }, baseUrl }))
 * const serviceFetch = authFetch(auth, { baseUrl })
 * console.log(await (await serviceFetch('/user/groups')).json())
 * @see https://spec.openapis.org/oas/v3.1.1#security-requirement-object
 */
export function routesFromOpenApi(
  document: unknown,
  options: RoutesFromOpenApiOptions,
): OpenApiRoutes {
  const { schemes, baseUrl } = checkOptions(options, caller, optionNames)
  const isRecord = typeof schemes === 'object' && schemes !== null
  check(isRecord, caller, 'schemes must be an object with a scheme for each security scheme')
  const { operations, security, servers, schemeNames } = readOperations(document, caller)
  const given = new Map<string, AuthScheme>()
  for (const [name, scheme] of Object.entries(schemes)) {
    assertScheme(scheme, caller, `schemes.${name}`)
    const names = name.split('+')
    check(
      schemeNames === undefined || names.every((one) => schemeNames.includes(one)),
      caller,
      `schemes.${name} is no security scheme of the document, which has ${schemeNames?.join(', ') || 'none'}`,
    )
    given.set(keyOf(names), scheme)
  }

  const own = readServers(servers, { baseUrl, caller, place: 'servers' })
  const placed = operations.map((operation) => ({
    operation,
    servers: operation.servers
      ? readServers(operation.servers, { baseUrl, caller, place: operation.serversPlace })
      : own,
  }))
  const all = [...own, ...placed.flatMap((one) => (one.servers === own ? [] : one.servers))]
  const basePath = commonBase(all)
  const origins = [...new Set(all.map(({ origin }) => origin))]

  const none = anonymous()
  const schemeOf = (requirements: Operation['security'], place: string): AuthScheme =>
    choose(requirements, given, place) ?? none
  const routes = new Map<string, TemplateRoute>()
  for (const { operation, servers: its } of placed) {
    const use = schemeOf(operation.security ?? security, operation.place)
    const { method } = operation
    const place = `paths.${operation.path}`
    readPathOption(operation.path, caller, place)
    for (const { origin, pathname } of its) {
      const template = pathname.slice(basePath.length) + operation.path
      // No array as JSON: an old library may turn every array into the same text.
      const shape = readTemplate(template, caller, place).map((literals) =>
        literals.map((literal) => JSON.stringify(literal)).join('{}'),
      )
      const key = `${method} ${origin} ${shape.join('/')}`
      const other = routes.get(key)
      check(
        other === undefined || other.use === use,
        caller,
        `${place} must not have another security than ${other?.template}, which is the same path`,
      )
      // One server's routes are none of another's.
      routes.set(key, { template, method, use, ...(origins.length > 1 && { origins: [origin] }) })
    }
  }
  return {
    origins,
    basePath: basePath === '' ? '/' : basePath,
    routes: [...routes.values()],
    otherwise: security ? schemeOf(security, 'security') : 'reject',
  }
}

/** Returns the scheme of the first alternative that one is given for; `undefined` for no authentication. */
function choose(
  requirements: Operation['security'] = [],
  given: ReadonlyMap<string, AuthScheme>,
  place: string,
): AuthScheme | undefined {
  for (const names of requirements) {
    const found = given.get(keyOf(names))
    if (found) return found
  }
  const isOptional = requirements.length === 0 || requirements.some((names) => names.length === 0)
  const wanted = requirements.map((names) => JSON.stringify(names.join('+'))).join(' or ')
  check(isOptional, caller, `schemes must have ${wanted}, which ${place} needs`)
  return undefined
}

function keyOf(names: readonly string[]): string {
  return names.toSorted().join('+')
}
