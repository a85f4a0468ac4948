/** What a `Request`, or an `init`, says beyond method, headers, body, signal and redirect. */
const carriedFields = [
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'priority',
  'referrer',
  'referrerPolicy',
] as const

// A value that is the default anyway is left out: workerd refuses some of these fields altogether.
const defaults = new Set<unknown>([
  undefined,
  '',
  false,
  'about:client',
  'auto',
  'cors',
  'default',
  'same-origin',
])

/**
 * A copy of an `init` that may be read again: its own fields, known or not (`dispatcher`, `cf`), and
 * those that stand on a prototype, as where a `Request` is given as `init`.
 */
export function copyInit(init: RequestInit | undefined): RequestInit {
  if (!init) return {}
  const prototype: unknown = Object.getPrototypeOf(init)
  if (prototype === Object.prototype || prototype === null) return { ...init }
  return { ...carried(init), ...init }
}

/** What of a `Request` goes on to another address. */
export function carried(source: RequestInit | Request): RequestInit {
  const init: Record<string, unknown> = {}
  for (const field of carriedFields) {
    const value: unknown = (source as Record<string, unknown>)[field]
    // Only a navigation has this mode, and no request can be made with it.
    if (!defaults.has(value) && value !== 'navigate') init[field] = value
  }
  return init
}
