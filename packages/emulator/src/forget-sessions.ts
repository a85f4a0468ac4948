const registryName = /^svc-auth\.sessions\./

/**
 * Forgets the sessions of the schemes in this process, as `forgetSessions` of `@svc/auth-token` does, of which the
 * emulator imports nothing: each version of that package has a frozen function in the global scope for it.
 */
export function forgetSessions(): void {
  for (const name of Object.getOwnPropertySymbols(globalThis)) {
    if (!registryName.test(Symbol.keyFor(name) ?? '')) continue
    // Its value alone: anything may stand there, such as a getter that throws.
    const forget: unknown = Reflect.getOwnPropertyDescriptor(globalThis, name)?.value
    if (typeof forget === 'function' && Object.isFrozen(forget)) forget()
  }
}
