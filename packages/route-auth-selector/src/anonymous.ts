import type { AuthScheme } from '@svc/types'

/**
 * The scheme of requests that need none: it adds nothing, wherever they go. The origins of the
 * selector that holds it bound it.
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
