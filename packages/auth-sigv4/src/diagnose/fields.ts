/** Returns what a function returns; `undefined` where it throws. */
export function attempt<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

/** Returns a field of anything; `undefined` where there is none, or where reading it throws. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  return attempt(() =>
    path.reduce<unknown>((holder, name) => Reflect.get(Object(holder), name), value),
  )
}

/** Tells if a value has a method of this name. */
export function hasMethod(value: unknown, name: string): boolean {
  return typeof field(value, name) === 'function'
}

/** Calls a method of anything; `undefined` where there is none, or where it throws. */
export function call(value: unknown, name: string, ...parameters: unknown[]): unknown {
  return attempt((): unknown => {
    const method = field(value, name)
    return typeof method === 'function' ? Reflect.apply(method, value, parameters) : undefined
  })
}

/** Tells if a value is a stream, of the web or of Node. */
export function isStream(value: unknown): boolean {
  return hasMethod(value, 'pipe') || hasMethod(value, 'getReader')
}
