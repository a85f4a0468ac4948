const registryName = /^svc-auth\.sessions\./

/**
 * Forgets the sessions of the schemes in this process, as `forgetSessions` of `@svc/auth-token` does, of which the
 * emulator imports nothing: each version of that package has a registry in the global scope, which forgets them.
 */
export function forgetSessions(): void {
  for (const name of Object.getOwnPropertySymbols(globalThis)) {
    if (!registryName.test(Symbol.keyFor(name) ?? '')) continue
    const registry: { forget?: () => void } = Object(Reflect.get(globalThis, name))
    registry.forget?.()
  }
}
