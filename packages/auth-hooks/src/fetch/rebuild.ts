import { AuthError } from '../kit/errors.ts'
import { type FetchRequest, requestInitOf } from './request.ts'

/** What connects a request in Node (a proxy, a client certificate), or in Deno. */
interface Connection {
  readonly dispatcher?: unknown
  readonly client?: unknown
}

/** The connections of requests that an adapter made, and so knows. */
const remembered = new WeakMap<Request, Connection>()

/** Remembers what dispatcher or client a `Request` was made with, if any: no runtime tells. */
export function rememberDispatcher(
  request: Request,
  { dispatcher, client }: Connection = {},
): void {
  remembered.set(request, { ...(dispatcher ? { dispatcher } : {}), ...(client ? { client } : {}) })
}

/**
 * Returns the `init` that makes a request anew for another URL, or `undefined` if its `Request` may hold a
 * dispatcher or client (a proxy, a client certificate, a guard against private addresses) that would be lost.
 */
export function rebuildInit(
  { originalRequest, init }: Pick<FetchRequest, 'originalRequest' | 'init'>,
  rebuildRequests: boolean,
): RequestInit | undefined {
  if (!originalRequest) return init
  const option = connectionOption(originalRequest.constructor)
  const held = option && option in init ? {} : heldConnection(originalRequest, option)
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

/** Returns the dispatcher or client of a `Request`, if it can be seen whether there is one. */
function heldConnection(
  request: Request,
  option: keyof Connection | undefined,
): Connection | undefined {
  const known = remembered.get(request)
  if (known || !option) return known ?? {}
  // Node 20 and 22 keep it under a symbol, later ones in a private field.
  const symbols = Object.getOwnPropertySymbols(request)
  const key = symbols.find(({ description }) => description === 'dispatcher')
  const dispatcher: unknown = key && Reflect.get(request, key)
  return key && (dispatcher ? { dispatcher } : {})
}

const options = new WeakMap<object, keyof Connection | undefined>()

/** Returns the option that a class of requests asks for when it makes one: its requests may hold such a value. */
function connectionOption(requestClass: unknown): keyof Connection | undefined {
  if (typeof requestClass !== 'function') return 'dispatcher'
  if (options.has(requestClass)) return options.get(requestClass)
  let option: keyof Connection | undefined
  try {
    Reflect.construct(requestClass, [
      'http://localhost/',
      {
        get dispatcher() {
          option = 'dispatcher'
          return undefined
        },
        get client() {
          option ??= 'client'
          return undefined
        },
      },
    ])
  } catch {
    // A class of the caller's may want other things.
    option ??= 'dispatcher'
  }
  options.set(requestClass, option)
  return option
}
