import type { GlobalOptions } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import type { ProcessCredentials } from './credential-process.ts'
import type { Profile } from './profiles.ts'

/** A setting, and the place where it was found. */
export interface Found {
  readonly value: string
  /** Such as `--region`, `SVC_AUTH_REGION` or `the profile production`. */
  readonly source: string
}

/** The place of a secret, which is read when it is needed. */
export interface SecretPlace<Secret> {
  /** Such as `SVC_AUTH_PASSWORD` or `the keyring`. */
  readonly source: string
  /** `true` if it is typed in, and there is somebody to type. */
  readonly isPrompt?: true
  read(): Promise<Secret>
}

/** The places that settings are looked for in. */
export interface Places {
  readonly options: GlobalOptions
  readonly context: CommandContext
  readonly profile: Profile | undefined
  /** Runs the profile's `credential_process`, once as long as its key is good. */
  readonly runProcess: (() => Promise<ProcessCredentials>) | undefined
}

/** The settings that have a flag, a variable and a place in a profile. */
const names = {
  baseUrl: { flag: '--base-url', variable: 'SVC_AUTH_BASE_URL' },
  region: { flag: '--region', variable: 'SVC_AUTH_REGION' },
  username: { flag: '--username', variable: 'SVC_AUTH_USERNAME' },
  parentUid: { flag: '--parent-uid', variable: 'SVC_AUTH_PARENT_UID' },
  accessKeyId: { flag: '--access-key-id', variable: 'SVC_AUTH_ACCESS_KEY_ID' },
  repeatedParameters: { flag: '--repeated-parameters', variable: 'SVC_AUTH_REPEATED_PARAMETERS' },
} as const

/** Finds a setting in the flags, the environment or the profile. */
export function findSetting(
  setting: keyof typeof names,
  { options, context, profile }: Pick<Places, 'options' | 'context' | 'profile'>,
): Found | undefined {
  const { flag, variable: called } = names[setting]
  const flagged = options[setting]
  if (flagged === '') throw new UsageError(`${flag} must not be empty`)
  if (flagged !== undefined) return { value: flagged, source: flag }
  const value = variable(context, called)
  if (value !== undefined) return { value, source: called }
  const saved = profile?.[setting]
  return saved === undefined || !profile
    ? undefined
    : { value: saved, source: `the profile ${profile.name}` }
}

/** Returns a variable of the environment, `undefined` also for an empty one. */
export function variable({ env }: CommandContext, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name]
}

/** Returns the variables that are set and empty, such as by `$(cat file)` for a file that is missing. */
export function emptyVariables({ env }: CommandContext): string[] {
  const ours = /^(?:SVC_AUTH_\w+|AWS_(?:ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|PROFILE))$/
  return Object.keys(env).filter((name) => env[name] === '' && ours.test(name))
}

/** Returns the variables whose names look like those of settings, and are none. */
export function unknownVariables({ env }: CommandContext): string[] {
  const settings = new Set<string>(Object.values(names).map((one) => one.variable))
  const others =
    /^SVC_AUTH_(?:PROFILE|PASSWORD|SECRET_ACCESS_KEY|SESSION_TOKEN|KEYRING|ALLOW_INSECURE_HTTP|PROXY_(?:SECRET|ACCESS_KEY_ID|SECRET_ACCESS_KEY))$/
  const ours = Object.keys(env).filter((name) => name.startsWith('SVC_AUTH_'))
  return ours.filter((name) => !settings.has(name) && !others.test(name))
}

/** Returns a secret without the line break that a file or a pipe has at its end. */
export function withoutLineEnd(secret: string): string {
  return secret.replace(/[\r\n]+$/, '')
}
