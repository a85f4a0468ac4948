/**
 * What a `Request`, or an `init`, says beyond method, headers, body, signal and redirect, with the
 * defaults: such a value is left out, since workerd refuses some of these fields altogether.
 */
const carriedFields: readonly (readonly [name: string, fallback: unknown])[] = [
  ['cache', 'default'],
  ['credentials', 'same-origin'],
  ['integrity', ''],
  ['keepalive', false],
  ['mode', 'cors'],
  ['priority', 'auto'],
  ['referrer', 'about:client'],
  ['referrerPolicy', ''],
]

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
  for (const [name, fallback] of carriedFields) {
    // Some of these names are not known to the types of every runtime.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is only read
    const value: unknown = (source as Record<string, unknown>)[name]
    // Only a navigation has the mode 'navigate', and no request can be made with it.
    if (value !== undefined && value !== fallback && value !== 'navigate') init[name] = value
  }
  return init
}
