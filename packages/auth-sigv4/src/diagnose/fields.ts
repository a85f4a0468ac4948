/** Returns a field of anything; `undefined` where there is none, or where reading it throws. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  try {
    return path.reduce<unknown>((holder, name) => Reflect.get(Object(holder), name), value)
  } catch {
    return undefined
  }
}

/** Tells if a value has a method of this name. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof field(value, name) === 'function'
}

/** Calls a method of anything; `undefined` where there is none, or where it throws. */
export function call(value: unknown, name: string, ...parameters: unknown[]): unknown {
  const method = field(value, name)
  if (typeof method !== 'function') return undefined
  try {
    return Reflect.apply(method, value, parameters)
  } catch {
    return undefined
  }
}

/** Tells if a value is a stream, of the web or of Node. */
export function isStream(value: unknown): boolean {
  return hasMethod(value, 'pipe') || hasMethod(value, 'getReader')
}
