const registryName = /^svc-auth\.sessions\./

/**
 * Forgets the sessions of the schemes in this process, as `forgetSessions` of `@svc/auth-token` does, of which the
 * emulator imports nothing: each version of that package has a function in the global scope for it.
 */
export function forgetSessions(): void {
  for (const name of Object.getOwnPropertySymbols(globalThis)) {
    if (!registryName.test(Symbol.keyFor(name) ?? '')) continue
    const forget: unknown = Reflect.get(globalThis, name)
    if (typeof forget === 'function') forget()
  }
}
