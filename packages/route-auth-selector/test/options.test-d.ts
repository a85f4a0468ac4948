import { anonymous, createRouteAuthSelector, createServiceAuth, type Route } from '../src/index.ts'
import type { AuthScheme } from '@svc/types'

const use: AuthScheme = anonymous()

export const routes: readonly Route[] = [
  { path: '/a', use },
  { path: '/a', method: 'POST', use },
  { path: '/a', method: undefined, use },
  { prefix: '/a', boundary: 'raw', caseSensitive: true, use },
  { prefix: '/a', boundary: undefined, caseSensitive: undefined, use },
  // @ts-expect-error -- a route has one of both
  { path: '/a', prefix: '/a', use },
  // @ts-expect-error -- a method belongs to a path
  { prefix: '/a', method: 'POST', use },
  // @ts-expect-error -- a boundary belongs to a prefix
  { path: '/a', boundary: 'raw', use },
  // @ts-expect-error -- no such boundary
  { prefix: '/a', boundary: 'word', use },
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

export const service: AuthScheme = createServiceAuth({
  baseUrl: new URL('https://a.example'),
  token: use,
  sigv4: selector,
  onEvent: ({ type }) => console.log(type),
})
