import type { FetchRequest } from '../kernel/request.ts'
import { requestInitOf } from '../kernel/request.ts'
import { AuthError } from '../kit/errors.ts'

/** The dispatchers of requests that an adapter made, and so knows. */
const remembered = new WeakMap<Request, unknown>()

/** Remembers what dispatcher a `Request` was made with, if any: Node tells nobody. */
export function rememberDispatcher(request: Request, dispatcher: unknown): void {
  remembered.set(request, dispatcher)
}

/**
 * Returns the `init` that makes a request anew for another URL, or `undefined` if its `Request` may hold a
 * dispatcher (a proxy, a client certificate, a guard against private addresses) that would be lost.
 */
export function rebuildInit(
  { originalRequest, init }: Pick<FetchRequest, 'originalRequest' | 'init'>,
  rebuildRequests: boolean,
): RequestInit | undefined {
  if (!originalRequest) return init
  const held = 'dispatcher' in init ? {} : heldDispatcher(originalRequest)
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
      'the dispatcher that this one may hold; call fetch with (url, init), or set rebuildRequests: true',
    { status },
  )
}

/** Returns the dispatcher of a `Request`, if it can be seen whether there is one. */
function heldDispatcher(request: Request): { dispatcher?: unknown } | undefined {
  if (remembered.has(request)) return optional(remembered.get(request))
  // Node 20 and 22 keep it under a symbol, later ones in a private field.
  const symbols = Object.getOwnPropertySymbols(request)
  const key = symbols.find(({ description }) => description === 'dispatcher')
  if (key) return optional(Reflect.get(request, key))
  return takesDispatcher(request.constructor) ? undefined : {}
}

function optional(dispatcher: unknown): { dispatcher?: unknown } {
  return dispatcher === undefined || dispatcher === null ? {} : { dispatcher }
}

const takers = new WeakMap<object, boolean>()

/** Tells if a class of requests asks for a dispatcher when it makes one. */
function takesDispatcher(requestClass: unknown): boolean {
  if (typeof requestClass !== 'function') return true
  let takes = takers.get(requestClass)
  if (takes === undefined) {
    takes = false
    try {
      Reflect.construct(requestClass, [
        'http://localhost/',
        {
          get dispatcher() {
            takes = true
            return undefined
          },
        },
      ])
    } catch {
      // A class of the caller's may want other things.
      takes = true
    }
    takers.set(requestClass, takes)
  }
  return takes
}
