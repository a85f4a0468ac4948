/** The keyring of the system: the Keychain, the Credential Manager, the Secret Service. */
export interface Keyring {
  get(account: string): string | undefined
  set(account: string, secret: string): void
  remove(account: string): void
}

const service = 'svc-auth'
type Environment = Readonly<Record<string, string | undefined>>
const isOff = (env: Environment): boolean => env['SVC_AUTH_KEYRING'] === 'off'

/** Says why there is no keyring. */
export function noKeyring({ env }: { readonly env: Environment }): string {
  return isOff(env)
    ? 'SVC_AUTH_KEYRING=off switches the keyring off'
    : 'this system has no keyring that responds'
}

/**
 * Opens the keyring of the system. Resolves to `undefined` without the optional package `@napi-rs/keyring`, where
 * the system has no keyring that responds, and if the environment says `SVC_AUTH_KEYRING=off`.
 */
export async function openSystemKeyring(env: Environment): Promise<Keyring | undefined> {
  if (isOff(env)) return undefined
  try {
    const { Entry } = await import('@napi-rs/keyring')
    // The kernel's keyring, which Linux has besides, forgets at the next start.
    const entry = (account: string) =>
      new Entry(service, account, { linux: { store: 'secret-service' } })
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
