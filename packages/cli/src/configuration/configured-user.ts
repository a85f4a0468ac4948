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
  // The profile's account and password are those of the profile's user, if it names one.
  const isProfiles = profile && (profile.username ?? username.value) === username.value
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

/** Says how to log in where this command runs, and which password is that of another user. */
export function passwordRemedy(context: CommandContext, user?: ConfiguredUser): string {
  const flag = canPrompt(context) ? '' : ' --password-stdin'
  // One that is set and was not found is that of another user.
  const isOther = user && variable(context, 'SVC_AUTH_PASSWORD') !== undefined
  const named = variable(context, 'SVC_AUTH_USERNAME')
  const hint = isOther ? `; SVC_AUTH_PASSWORD is that of ${named}, from SVC_AUTH_USERNAME` : ''
  return `run \`svc-auth login${flag}\`, or set SVC_AUTH_PASSWORD${hint}`
}

/** Returns the name that a password has in the keyring. */
export function passwordAccount(baseUrl: string, username: string, parentUid = ''): string {
  return JSON.stringify(['password', baseUrl, username, parentUid])
}
