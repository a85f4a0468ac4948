import type { AuthScheme } from '@svc/types'

/**
 * A scheme for requests that need no authentication: it covers every URL and adds nothing. The
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
