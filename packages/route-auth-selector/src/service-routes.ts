import {
  assertScheme,
  check,
  checkFunctions,
  checkOptions,
  type OptionNames,
  parseBaseUrl,
  uncovered,
} from '@svc/auth-hooks/scheme'
import type { AuthEvent, AuthScheme } from '@svc/types'
import { createRouteAuthSelector, signerSymbol } from './selector.ts'
import { withoutEndSlashes } from './templates.ts'

/** Options of {@link createServiceRoutes}. */
export interface ServiceRoutesOptions {
  /** The environment's base URL. Its origin is the only one covered; its path is the base path. */
  readonly baseUrl: string | URL
  /** The scheme for requests under `/user` except the login: what `createTokenAuth` returns. */
  readonly token: AuthScheme
  /** The scheme for everything else: what `createSigV4Auth` returns. */
  readonly sigv4: AuthScheme
  /**
   * Called with each choice: `route.chosen`. Errors it throws are ignored.
   *
   * @default none
   */
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
}

const optionNames: OptionNames<ServiceRoutesOptions> = {
  baseUrl: 'endpoint host url origin',
  token: 'tokenAuth user',
  sigv4: 'sigV4Auth signature apiKey aws',
  onEvent: '',
}

/**
 * Creates a selector with the service's own routes: `POST /user/login` is sent without authentication,
 * everything else under `/user` with a token, and the rest with a signature.
 *
 * @throws TypeError if an option is wrong, a scheme does not cover its own paths below `baseUrl`, or `token` is a
 * scheme that signs; the message names the option.
 * @throws AuthError from `authorize`: `ERR_AUTH_ORIGIN` if the URL is not covered, and whatever the
 * chosen scheme throws.
 * @example
 * import { type ApiKey, createSigV4Auth } from '@svc/auth-sigv4'
 * import { createTokenAuth, type UserCredentials } from '@svc/auth-token'
 * import { authFetch, createServiceRoutes } from '@svc/route-auth-selector'
 *
 * declare const user: UserCredentials
 * declare const apiKey: ApiKey
 * const baseUrl = 'https://search.example.com'
 * const auth = createServiceRoutes({
 *   baseUrl,
 *   token: createTokenAuth({ baseUrl, credentials: user }),
 *   sigv4: createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: apiKey }),
 * })
 * const serviceFetch = authFetch(auth, { baseUrl })
 * console.log(await (await serviceFetch('/user/groups')).json())
 * console.log(await (await serviceFetch('/V1/report.csv')).text())
 * @see Interface of the service, section 5
 */
export function createServiceRoutes(options: ServiceRoutesOptions): AuthScheme {
  const caller = '[@svc/route-auth-selector] createServiceRoutes'
  const { baseUrl, token, sigv4, onEvent } = checkOptions(options, caller, optionNames)
  const { origin, pathname } = parseBaseUrl(baseUrl, caller)
  assertScheme(token, caller, 'token')
  assertScheme(sigv4, caller, 'sigv4')
  checkFunctions({ onEvent }, caller)
  check(
    // A selector carries a function: it may or may not.
    typeof Reflect.get(token, signerSymbol) !== 'object',
    caller,
    `token must be what createTokenAuth returns, not the scheme ${token.name}, which signs`,
  )
  const base = origin + withoutEndSlashes(pathname)
  assertCovers(token, `${base}/user/`, caller, 'token')
  assertCovers(sigv4, `${base}/`, caller, 'sigv4')
  return createRouteAuthSelector({
    origins: [origin],
    basePath: pathname,
    routes: [
      { path: '/user/login', method: 'POST', use: anonymous() },
      { prefix: '/user', use: token },
    ],
    otherwise: sigv4,
    onEvent,
  })
}

/** Checks that a scheme covers its own paths: `localhost` in the place of `127.0.0.1` is hard to see. */
function assertCovers(scheme: AuthScheme, href: string, caller: string, option: string): void {
  const url = new URL(href)
  const problem = `${href} ${uncovered(scheme, url)}`
  check(scheme.covers(url), caller, `${option} must cover what it is used for: ${problem}`)
}

/**
 * Returns a scheme for requests that need no authentication: it covers every URL and adds nothing. The
 * origins of the selector that uses it are its only limit.
 *
 * @example
 * import { anonymous, type Route } from '@svc/route-auth-selector'
 *
 * export const health: Route = { path: '/health', method: 'GET', use: anonymous() }
 * @see Interface of the service, section 4.1
 */
export function anonymous(): AuthScheme {
  return Object.freeze<AuthScheme>({
    name: 'anonymous',
    covers: () => true,
    authorize: () => ({ scheme: 'anonymous', headers: [] }),
  })
}
