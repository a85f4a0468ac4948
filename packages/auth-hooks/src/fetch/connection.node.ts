/** What connects a request in Node (a proxy, a client certificate), or in Deno. */
export interface Connection {
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
  remembered.set(request, { dispatcher, client })
}

/** Returns the dispatcher or client of a `Request` that its `init` does not replace; `undefined` if that is hidden. */
export function heldConnection(request: Request, init: RequestInit): Connection | undefined {
  const option = connectionOption(request.constructor)
  if (option && option in init) return {}
  const known = remembered.get(request)
  if (known || !option) return known ?? {}
  // Node 20 and 22 keep it under a symbol, later ones in a private field.
  const symbols = Object.getOwnPropertySymbols(request)
  const key = symbols.find(({ description }) => description === 'dispatcher')
  const dispatcher: unknown = key && Reflect.get(request, key)
  return key && (dispatcher ? { dispatcher } : {})
}

/** Returns the option that a class of requests asks for when it makes one: its requests may hold such a value. */
function connectionOption(requestClass: unknown): keyof Connection | undefined {
  if (typeof requestClass !== 'function') return 'dispatcher'
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
  return option
}
