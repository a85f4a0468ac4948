import type { RunCommand } from '../../command.ts'
import { readConfiguration } from '../../configuration/configuration.ts'
import { variable } from '../../configuration/settings.ts'
import { passwordAccount } from '../../configuration/configured-user.ts'
import { secretAccount } from '../../configuration/configured-key.ts'
import { profilesFile } from '../../configuration/folders.ts'
import { readPrivateFile, writePrivateFile } from '../../configuration/private-file.ts'
import { addProfileText, removeProfileText } from '../../configuration/profile-text.ts'
import {
  chooseProfile,
  normalBaseUrl,
  parseProfiles,
  type Profile,
  readProfiles,
} from '../../configuration/profiles.ts'
import { canPrompt, promptOptionalSecret, readPipedSecret } from '../../configuration/prompt.ts'
import type { CommandContext } from '../../context.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { writeResult } from '../../output/write.ts'
import { openConfigured } from '../../service.ts'
import type { ProfileAddOptions } from './profile.options.ts'

/** Saves a profile, and its secrets in the keyring. */
export const runProfileAdd: RunCommand<ProfileAddOptions> = async (
  [name = ''],
  options,
  context,
) => {
  if (!/^[\w-]+$/.test(name)) {
    throw new UsageError('the name of a profile has letters, digits, - and _ alone')
  }
  const { baseUrl, region, username, parentUid, accessKeyId, credentialProcess } = options
  if (baseUrl === undefined) {
    throw new UsageError('a profile needs --base-url, such as https://search.example.com')
  }
  const { parseBaseUrl } = await import('@svc/auth-hooks/scheme')
  parseBaseUrl(baseUrl, '--base-url')
  const given = { baseUrl, region, username, parentUid, accessKeyId, credentialProcess }
  const settings = Object.entries(given).filter(([, value]) => value !== undefined)
  const profile = { name, ...Object.fromEntries(settings) } as Profile

  const path = await profilesFile(context)
  const text = (await readPrivateFile(path, context)) ?? ''
  const exists = (await parseProfiles(text, path)).some((one) => one.name === name)
  if (exists && !options.replace) {
    throw new UsageError(`there is a profile ${name}: --replace replaces it`)
  }
  await keepSecrets(profile, options, context)
  const kept = exists ? await removeProfileText(text, name, path) : text
  await writePrivateFile(path, await addProfileText(kept, profile))
  context.stderr.write(`Saved the profile ${name} in ${path}\n`)
  return exitCodes.done
}

async function keepSecrets(
  { baseUrl, username, parentUid, accessKeyId, credentialProcess }: Profile,
  { secretStdin }: ProfileAddOptions,
  context: CommandContext,
): Promise<void> {
  const base = normalBaseUrl(baseUrl)
  const keyring = await context.openKeyring()
  if (secretStdin) {
    if (accessKeyId === undefined) throw new UsageError('--secret-stdin needs --access-key-id')
    if (!keyring) throw new UsageError(`--secret-stdin: ${noKeyring}`)
    keyring.set(secretAccount(base, accessKeyId), await readPipedSecret('--secret-stdin', context))
  }
  if (credentialProcess !== undefined || (accessKeyId ?? username) === undefined) return
  if (!keyring) {
    context.stderr.write(`No secret is kept: ${noKeyring}\n`)
    return
  }
  if (!canPrompt(context)) return
  if (accessKeyId !== undefined && !secretStdin) {
    const secret = await promptOptionalSecret(
      `Secret of the access key ${accessKeyId}, for the keyring (empty: not kept)`,
      context,
    )
    if (secret !== '') keyring.set(secretAccount(base, accessKeyId), secret)
  }
  if (username !== undefined) {
    const password = await promptOptionalSecret(
      `Password of ${username}, for the keyring (empty: asked for at each login)`,
      context,
    )
    if (password !== '') keyring.set(passwordAccount(base, username, parentUid), password)
  }
}

const noKeyring =
  'this system has no keyring that responds; log in once by svc-auth login, or svc-auth login --password-stdin, and give the secret of the key by SVC_AUTH_SECRET_ACCESS_KEY or --credential-process'

/** Lists the profiles: a name and a base URL in each line. */
export const runProfileList: RunCommand<object> = async (_, _options, context) => {
  const profiles = await readProfiles(context)
  const lines = profiles.map(({ name, baseUrl }) => `${name}\t${baseUrl}\n`)
  await writeResult(context, lines.join(''))
  if (profiles.length === 0) {
    context.stderr.write(
      `There are no profiles in ${await profilesFile(context)}: see svc-auth profile add --help\n`,
    )
  }
  return exitCodes.done
}

/** Shows the settings of a profile. */
export const runProfileShow: RunCommand<object> = async ([name], _options, context) => {
  const wanted = name ?? variable(context, 'SVC_AUTH_PROFILE')
  const profile = chooseProfile(await readProfiles(context), wanted, undefined)
  if (!profile) throw new UsageError('there are no profiles: see svc-auth profile add --help')
  await writeResult(context, await addProfileText('', profile))
  return exitCodes.done
}

/** Removes a profile, its session and its secrets. */
export const runProfileRemove: RunCommand<object> = async ([name = ''], _options, context) => {
  const path = await profilesFile(context)
  const text = (await readPrivateFile(path, context)) ?? ''
  const profile = chooseProfile(await parseProfiles(text, path), name, undefined)
  if (!profile) throw new UsageError(`no profile is called "${name}"`)
  const without = await removeProfileText(text, name, path)
  const { username, parentUid, accessKeyId } = profile
  const base = normalBaseUrl(profile.baseUrl)
  // Of the profile alone, whatever the environment says.
  const alone = { ...context, env: { SVC_AUTH_PROFILE: name, ...foldersIn(context) } }
  const configuration = { ...(await readConfiguration({}, alone)), key: undefined }
  const { session } = await openConfigured(configuration, alone, false)
  const others = (await parseProfiles(without, path)).filter(
    (one) => normalBaseUrl(one.baseUrl) === base,
  )
  const hasUser = others.some((one) => one.username === username && one.parentUid === parentUid)
  if (!hasUser) await session?.forget()
  const keyring = await context.openKeyring()
  if (username !== undefined && !hasUser) {
    keyring?.remove(passwordAccount(base, username, parentUid))
  }
  if (accessKeyId !== undefined && !others.some((one) => one.accessKeyId === accessKeyId)) {
    keyring?.remove(secretAccount(base, accessKeyId))
  }
  await writePrivateFile(path, without)
  context.stderr.write(`Removed the profile ${name}\n`)
  return exitCodes.done
}

function foldersIn({ env }: CommandContext): CommandContext['env'] {
  const names = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'APPDATA', 'LOCALAPPDATA']
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
