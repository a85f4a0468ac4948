import type { Settings } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, UsageError } from '../exit.ts'
import { type OAuthClient, oauthSettings } from './oauth-client.ts'
import { readPrivateFile } from '../platform/private-file.ts'

/** One environment of the service and who uses it. It holds no secrets. */
export interface Profile extends OAuthClient, Settings {
  readonly name: string
  readonly baseUrl: string
  /** A command that prints secrets, for a shell, or a program and its arguments. */
  readonly credentialProcess?: string | readonly string[]
}

/** The names of a profile's settings, in the file and in the program. */
const profileSettings = {
  base_url: 'baseUrl',
  region: 'region',
  username: 'username',
  parent_uid: 'parentUid',
  access_key_id: 'accessKeyId',
  repeated_parameters: 'repeatedParameters',
  credential_process: 'credentialProcess',
  ...oauthSettings,
} as const satisfies Readonly<Record<string, keyof Profile>>

const secretSetting = /password|secret|token/i

/**
 * Reads all profiles. Resolves to an empty list if there is no file.
 *
 * @throws UsageError naming the file, the line or the profile that is wrong, and no value.
 */
export async function readProfiles(context: CommandContext): Promise<readonly Profile[]> {
  const path = await context.platform.profilesFile()
  const text = await readPrivateFile(path, context).catch((error: unknown) => {
    if (errorCode(error) !== 'EACCES') throw error
    const remedy = `set ${context.platform.folderVariable('config')} to a folder that you can read`
    throw new UsageError(`${path} cannot be read (EACCES): ${remedy}`, { cause: error })
  })
  return text === undefined ? [] : parseProfiles(text, path)
}

/** Reads the text of a file of profiles. */
export async function parseProfiles(text: string, path: string): Promise<readonly Profile[]> {
  const { parse, TomlError } = await import('smol-toml')
  let tables: Record<string, unknown>
  try {
    tables = parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The rest of its message quotes the file.
    const [reason = ''] = error.message.split('\n')
    throw new UsageError(
      `${path}, line ${error.line}: ${reason.replace(/^Invalid TOML document: /, '')}`,
    )
  }
  return Object.entries(tables).map(([name, table]) => readProfile(name, table, path))
}

function readProfile(name: string, table: unknown, path: string): Profile {
  const fail = (what: string): never => {
    throw new UsageError(`${path}: ${what}`)
  }
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    return fail(`"${name}" stands outside of a profile: begin one by a line such as [production]`)
  }
  const profile: Record<string, unknown> = { name }
  for (const [setting, value] of Object.entries(table)) {
    if (!Object.hasOwn(profileSettings, setting)) {
      const remedy = secretSetting.test(setting)
        ? 'no secret stands in a profile: keep it in the keyring by `svc-auth profile add`, or give a credential_process'
        : `the settings are ${Object.keys(profileSettings).join(', ')}`
      return fail(`[${name}] has an unknown setting "${setting}"; ${remedy}`)
    }
    const isText = typeof value === 'string' && value !== ''
    const isList =
      setting === 'credential_process' &&
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => typeof item === 'string')
    if (!isText && !isList) fail(`[${name}] ${setting} must be a text that is not empty`)
    profile[profileSettings[setting as keyof typeof profileSettings]] = value
  }
  if (profile['baseUrl'] === undefined) fail(`[${name}] has no base_url`)
  // Each setting has been checked.
  return profile as unknown as Profile
}

/**
 * Chooses the profile of a command: the one that is named, else the only one for the base URL that was given, else
 * the only one.
 */
export function chooseProfile(
  profiles: readonly Profile[],
  name: string | undefined,
  baseUrl: string | undefined,
): Profile | undefined {
  const names = (list: readonly Profile[]): string => list.map((one) => one.name).join(', ')
  if (name !== undefined) {
    const named = profiles.find((one) => one.name === name)
    if (!named) {
      const known = profiles.length > 0 ? `there are ${names(profiles)}` : 'there are none yet'
      throw new UsageError(`no profile is called "${name}"; ${known}: see svc-auth profile list`)
    }
    // The credentials of one environment must not reach another because a flag says so.
    if (baseUrl !== undefined && !isSameBase(named.baseUrl, baseUrl)) {
      throw new UsageError(
        `the profile ${name} is for ${named.baseUrl}, and its credentials are for nothing else: leave out the base URL or the profile`,
      )
    }
    return named
  }
  const matching =
    baseUrl === undefined ? profiles : profiles.filter((one) => isSameBase(one.baseUrl, baseUrl))
  if (matching.length > 1) {
    throw new UsageError(
      `${matching.length} profiles match: ${names(matching)}; name one by --profile or SVC_AUTH_PROFILE`,
    )
  }
  return matching[0]
}

function isSameBase(one: string, other: string): boolean {
  return normalBaseUrl(one) === normalBaseUrl(other)
}

/** Returns the one spelling of a base URL; one that is wrong stays as it is, and is rejected where it is used. */
export function normalBaseUrl(text: string): string {
  if (!URL.canParse(text)) return text
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

/** Adds a profile to the text of a file, and leaves everything else of it as the user wrote it. */
export async function addProfileText(text: string, profile: Profile): Promise<string> {
  const { stringify } = await import('smol-toml')
  const table: Record<string, unknown> = {}
  for (const [setting, name] of Object.entries(profileSettings)) {
    if (profile[name] !== undefined) table[setting] = profile[name]
  }
  const before = text === '' ? '' : `${text.replace(/\n*$/, '')}\n\n`
  return `${before}${stringify({ [profile.name]: table })}`
}

/**
 * Removes a profile from the text of a file, with its lines alone.
 *
 * @throws UsageError if it is written in a way in which its lines cannot be told from others.
 */
export async function removeProfileText(text: string, name: string, path: string): Promise<string> {
  const before = await parseProfiles(text, path)
  const lines = text.split('\n')
  const starts = lines.flatMap((line, index) => (/^\s*\[/.test(line) ? [index] : []))
  for (const [place, start] of starts.entries()) {
    const end = starts[place + 1] ?? lines.length
    const without = [...lines.slice(0, start), ...lines.slice(end)].join('\n')
    const after = await parseProfiles(without, path).catch(() => undefined)
    if (JSON.stringify(after) === JSON.stringify(before.filter((one) => one.name !== name))) {
      return without
    }
  }
  throw new UsageError(`${path}: remove the lines of [${name}] in an editor`)
}
