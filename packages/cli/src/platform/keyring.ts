import type { Entry } from '@napi-rs/keyring'

/** The keyring of the system: the Keychain, the Credential Manager, the Secret Service. */
export interface Keyring {
  get(account: string): string | undefined
  set(account: string, secret: string): void
  remove(account: string): void
}

/** The optional package that opens it. */
export interface KeyringPackage {
  readonly Entry: typeof Entry
}

/** Opens the keyring. Resolves to `undefined` without the package, and where the system has none that responds. */
export async function openKeyring(
  importPackage: () => Promise<KeyringPackage>,
): Promise<Keyring | undefined> {
  try {
    const keyring = await importPackage()
    // The kernel's keyring, which Linux has besides, forgets at the next start.
    const entry = (account: string) =>
      new keyring.Entry('svc-auth', account, { linux: { store: 'secret-service' } })
    // A server without a desktop has the package and no keyring: only a question tells.
    entry('is there a keyring?').getPassword()
    return {
      get: (account) => entry(account).getPassword() ?? undefined,
      set: (account, secret) => entry(account).setPassword(secret),
      remove: (account) => void entry(account).deletePassword(),
    }
  } catch {
    return undefined
  }
}
