import type { AuthScheme } from '@svc/types'

/**
 * The scheme of requests that need none: it adds nothing, wherever they go. The origins of the
 * selector that holds it bound it.
 *
 * @example
 * const login = { path: '/user/login', method: 'POST', use: anonymous() }
 */
export function anonymous(): AuthScheme {
  return Object.freeze<AuthScheme>({
    name: 'anonymous',
    covers: () => true,
    authorize: () => ({ scheme: 'anonymous', headers: [] }),
  })
}
