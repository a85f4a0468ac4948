/**
 * Chooses how to authenticate each request by its method and path: with a token, with a signature,
 * or not at all.
 *
 * @module @svc/route-auth-selector
 */
export {
  AuthError,
  type AuthErrorCode,
  type AuthEvent,
  authFetch,
  authKy,
  authorizeRequest,
  type AuthScheme,
  type Fetch,
} from '@svc/auth-hooks'
export type { PathRoute, PrefixRoute, Route, TemplateRoute } from './routes.ts'
export { createRouteAuthSelector, type RouteAuthSelectorOptions } from './selector.ts'
export { anonymous, createServiceRoutes, type ServiceRoutesOptions } from './service-routes.ts'
