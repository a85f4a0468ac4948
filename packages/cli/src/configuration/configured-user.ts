import type { CommandContext } from '../context.ts'
import { findSetting, type Found, type Places, variable } from './settings.ts'
import { canPrompt, promptSecret } from './prompt.ts'

/** The user who logs in. */
export interface ConfiguredUser {
  readonly username: Found
  readonly parentUid: Found | undefined
  readonly password: SecretSource
}

/** A secret that is read when it is needed. */
export interface SecretSource {
  /** Resolves to the place of the secret, or to `undefined` if there is none. */
  find(): Promise<SecretPlace | undefined>
}

/** The place of a secret. */
export interface SecretPlace {
  /** Such as `SVC_AUTH_PASSWORD` or `the keyring`. */
  readonly source: string
  /** `true` if it is typed in, and there is somebody to type. */
  readonly isPrompt?: true
  read(): Promise<string>
}

/** Reads who logs in. Returns `undefined` if nobody is named. */
export function readConfiguredUser(places: Places, baseUrl: string): ConfiguredUser | undefined {
  const { context, profile, runProcess } = places
  const username = findSetting('username', places)
  if (!username) return undefined
  const isProfiles = profile?.username === username.value
  // The profile's account is that of the profile's user.
  const parentUid = findSetting(
    'parentUid',
    isProfiles ? places : { ...places, profile: undefined },
  )
  const find = async (): Promise<SecretPlace | undefined> => {
    const named = variable(context, 'SVC_AUTH_USERNAME')
    const password = variable(context, 'SVC_AUTH_PASSWORD')
    // The password of one user must not be tried for another, which may lock the account out.
    if (password !== undefined && (named === undefined || named === username.value)) {
      return { source: 'SVC_AUTH_PASSWORD', read: async () => password }
    }
    if (runProcess && isProfiles) {
      const { password: printed } = await runProcess()
      if (printed !== undefined) {
        const source = `the credential_process of the profile ${profile.name}`
        return { source, read: async () => printed }
      }
    }
    const keyring = await context.openKeyring()
    const account = passwordAccount(baseUrl, username.value, parentUid?.value)
    const kept = keyring?.get(account)
    if (kept !== undefined) return { source: 'the keyring', read: async () => kept }
    if (!canPrompt(context)) return undefined
    return typedPassword(username.value, context)
  }
  return { username, parentUid, password: { find } }
}

function typedPassword(username: string, context: CommandContext): SecretPlace {
  return {
    source: 'the terminal',
    isPrompt: true,
    read: () => promptSecret(`Password of ${username}`, context),
  }
}

/** Returns the name that a password has in the keyring. */
export function passwordAccount(baseUrl: string, username: string, parentUid = ''): string {
  return JSON.stringify(['password', baseUrl, username, parentUid])
}
