import type { CommandContext } from '../context.ts'
import { canPrompt, findKept } from './prompt.ts'
import { findSetting, type Found, type Places, type SecretPlace, variable } from './settings.ts'

/** The user who logs in. */
export interface ConfiguredUser {
  readonly username: Found
  readonly parentUid: Found | undefined
  /** Resolves to the place of the password, or to `undefined` if there is none. */
  find(): Promise<SecretPlace<string> | undefined>
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
  const find = async (): Promise<SecretPlace<string> | undefined> => {
    const named = variable(context, 'SVC_AUTH_USERNAME')
    const password = variable(context, 'SVC_AUTH_PASSWORD')
    // The password of one user must not be tried for another, which may lock the account out.
    if (password !== undefined && (named === undefined || named === username.value)) {
      return { source: 'SVC_AUTH_PASSWORD', read: async () => password }
    }
    if (runProcess && isProfiles) {
      const { password: printed } = await runProcess()
      const source = `the credential_process of the profile ${profile.name}`
      if (printed !== undefined) return { source, read: async () => printed }
    }
    const account = passwordAccount(baseUrl, username.value, parentUid?.value)
    return findKept(account, `Password of ${username.value}`, context)
  }
  return { username, parentUid, find }
}

/** Says how to log in where this command runs. */
export function passwordRemedy(context: CommandContext): string {
  const flag = canPrompt(context) ? '' : ' --password-stdin'
  return `run \`svc-auth login${flag}\`, or set SVC_AUTH_PASSWORD`
}

/** Returns the name that a password has in the keyring. */
export function passwordAccount(baseUrl: string, username: string, parentUid = ''): string {
  return JSON.stringify(['password', baseUrl, username, parentUid])
}
