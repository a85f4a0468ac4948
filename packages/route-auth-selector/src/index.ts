/**
 * Chooses how each request is authenticated by its method and path: a token, a signature, or nothing.
 *
 * @module @svc/route-auth-selector
 */
export { AuthError, authFetch, authKy } from '@svc/auth-hooks'
export { anonymous } from './anonymous.ts'
export type { PathRoute, PrefixRoute, Route } from './route.ts'
export { createRouteAuthSelector, type RouteAuthSelectorOptions } from './route-auth-selector.ts'
export { createServiceAuth, type ServiceAuthOptions } from './service-auth.ts'
