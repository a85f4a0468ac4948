import {
  anonymous,
  createRouteAuthSelector,
  createServiceRoutes,
  type Route,
} from '@svc/route-auth-selector'
import type { AuthScheme } from '@svc/types'

const use: AuthScheme = anonymous()

export const routes: readonly Route[] = [
  { path: '/a', use },
  { path: '/a', method: 'POST', use },
  { path: '/a', method: undefined, use },
  { prefix: '/a', caseSensitive: true, use },
  { prefix: '/a', caseSensitive: undefined, use },
  // @ts-expect-error -- a route has one of both
  { path: '/a', prefix: '/a', use },
  // @ts-expect-error -- a method belongs to a path
  { prefix: '/a', method: 'POST', use },
  // @ts-expect-error -- a case belongs to a prefix
  { path: '/a', caseSensitive: true, use },
  // @ts-expect-error -- every route has a scheme
  { prefix: '/a' },
]

export const selector: AuthScheme = createRouteAuthSelector({
  origins: [new URL('https://a.example'), 'https://b.example'],
  basePath: undefined,
  routes,
  otherwise: use,
  onEvent: undefined,
})

export const service: AuthScheme = createServiceRoutes({
  baseUrl: new URL('https://a.example'),
  token: use,
  sigv4: selector,
  onEvent: ({ type }) => console.log(type),
})
