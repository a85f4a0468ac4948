import { heldConnection } from '#platform'
import { AuthError } from '../kit/errors.ts'
import { type FetchRequest, requestInitOf } from './request.ts'

/**
 * Returns the `init` that makes a request anew for another URL, or `undefined` if its `Request` may hold a
 * dispatcher or client (a proxy, a client certificate, a guard against private addresses) that would be lost.
 */
export function rebuildInit(
  { originalRequest, init }: Pick<FetchRequest, 'originalRequest' | 'init'>,
  rebuildRequests: boolean,
): RequestInit | undefined {
  if (!originalRequest) return init
  const held = heldConnection(originalRequest, init)
  if (!held && !rebuildRequests) return undefined
  return { ...requestInitOf(originalRequest), ...held, ...init }
}

/** Returns the error of a request that could only be sent without the dispatcher that it may hold. */
export function rebuildError(
  { method, url }: Pick<FetchRequest, 'method' | 'url'>,
  description: string,
  status?: number,
): AuthError {
  return new AuthError(
    'ERR_AUTH_REQUEST',
    `[@svc/auth-hooks] ${method} ${url.origin}${url.pathname}: ${description}, and a new Request would lose ` +
      'the dispatcher or client that this one may hold; call fetch with (url, init), or set rebuildRequests: true',
    { status },
  )
}
