import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  type CommandDefinition,
  type CommandGroup,
  globalOptions,
  type Switches,
  type Texts,
} from '../command.ts'
import { allowsHttp } from '../configuration/configuration.ts'
import { secretAccount, secretPlaces, secretRemedy } from '../configuration/configured-key.ts'
import { passwordAccount, passwordRemedy } from '../configuration/configured-user.ts'
import { processForm } from '../configuration/credential-process.ts'
import { type OAuthName, oauthOptions, readOAuthFlags } from '../configuration/oauth-client.ts'
import { readPrivateFile, writePrivateFile } from '../platform/private-file.ts'
import {
  addProfileText,
  chooseProfile,
  normalBaseUrl,
  parseProfiles,
  type Profile,
  readProfiles,
  removeProfileText,
} from '../configuration/profiles.ts'
import { canPrompt, promptSecret, readPipedSecret } from '../configuration/prompt.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes, UsageError } from '../exit.ts'
import { writeResult } from '../output/standard-output.ts'
import { privateModes } from '../platform/platform.ts'
import { checkBaseUrl } from '../service.ts'
import { forgetUnlessShared } from './login-by-sign-in.ts'

type ProfileAddOptions = Texts<'credentialProcess' | OAuthName> &
  Switches<'secretStdin' | 'replace'>

const savedOptions = globalOptions.filter(({ flags }) => !/^--(?:aws-|proxy-|profile )/.test(flags))

const add: CommandDefinition<ProfileAddOptions> = {
  name: 'add',
  summary: 'save a profile',
  description:
    'Saves the settings that are given as a profile. Secrets are not part of it: on a terminal, the secret of the ' +
    `access key and the password are asked for and kept in the keyring, if there is one. ${secretPlaces}`,
  args: [{ name: '<name>', description: 'the name of the profile: letters, digits, - and _' }],
  options: [
    {
      flags: '--credential-process <command>',
      description: `a command that prints the secrets as JSON: ${processForm}, of which the key or Password may be left out`,
    },
    {
      flags: '--secret-stdin',
      description: 'read the secret of the access key from standard input, into the keyring',
    },
    { flags: '--replace', description: 'replace a profile of this name' },
    // Without their defaults: what other places have is not saved.
    ...savedOptions.map(({ flags, description }) => ({ flags, description })),
    ...oauthOptions,
  ],
  isConfigured: false,
  examples: [
    {
      line: 'svc-auth profile add production --base-url https://search.example.com --region us-east-1 --access-key-id AKIDEXAMPLE',
      does: 'save an environment and the key that signs; its secret is asked for',
    },
    {
      line: "svc-auth profile add staging --base-url https://staging.example.com --username reader@example.com --credential-process 'pass show staging'",
      does: 'save an environment whose secrets a password manager has',
    },
  ],
  async run([name = ''], options, context) {
    if (!/^[\w-]+$/.test(name)) {
      throw new UsageError('the name of a profile has letters, digits, - and _ alone')
    }
    const { baseUrl } = options
    if (baseUrl === undefined) {
      throw new UsageError('a profile needs --base-url, such as https://search.example.com')
    }
    const http = { allowsInsecureHttp: allowsHttp(options, context), proxiesLoopback: false }
    await checkBaseUrl({ value: baseUrl, source: '--base-url' }, http)
    readOAuthFlags(options)
    const profile = { ...options, name, baseUrl }

    const path = await context.platform.profilesFile()
    const text = (await readPrivateFile(path, context)) ?? ''
    const exists = (await parseProfiles(text, path)).some((one) => one.name === name)
    if (exists && !options.replace) {
      throw new UsageError(`there is a profile ${name}: --replace replaces it`)
    }
    await keepSecrets(profile, options, context)
    const kept = exists ? await removeProfileText(text, name, path) : text
    await mkdir(dirname(path), { recursive: true, mode: privateModes.folder })
    await writePrivateFile(path, await addProfileText(kept, profile))
    context.stderr.write(`Saved the profile ${name} in ${path}\n`)
    return exitCodes.done
  },
}

const list: CommandDefinition<object> = {
  name: 'list',
  summary: 'list the profiles',
  description: 'Lists the names and base URLs of the profiles.',
  args: [],
  options: [],
  isConfigured: false,
  examples: [
    { line: 'svc-auth profile list', does: 'list the profiles' },
    { line: 'svc-auth profile list | cut -f1', does: 'list their names alone' },
  ],
  async run(_, _options, context) {
    const profiles = await readProfiles(context)
    const lines = profiles.map(({ name, baseUrl }) => `${name}\t${baseUrl}\n`)
    await writeResult(context, lines.join(''))
    if (profiles.length === 0) {
      context.stderr.write(
        `There are no profiles in ${await context.platform.profilesFile()}: see svc-auth profile add --help\n`,
      )
    }
    return exitCodes.done
  },
}

const remove: CommandDefinition<object> = {
  name: 'remove',
  summary: 'remove a profile, its session and its secrets',
  description:
    'Removes a profile from the file, its session from this machine, and its secrets from the keyring.',
  args: [{ name: '<name>', description: 'the name of the profile' }],
  options: [],
  isConfigured: false,
  examples: [
    { line: 'svc-auth profile remove staging', does: 'remove one profile' },
    {
      line: 'svc-auth profile list | cut -f1 | xargs -r -n1 svc-auth profile remove',
      does: 'remove all of them',
    },
  ],
  async run([name = ''], _options, context) {
    const path = await context.platform.profilesFile()
    const text = (await readPrivateFile(path, context)) ?? ''
    const profile = chooseProfile(await parseProfiles(text, path), name, undefined)
    if (!profile) throw new UsageError(`no profile is called "${name}"`)
    const without = await removeProfileText(text, name, path)
    const { username, parentUid, accessKeyId } = profile
    const base = normalBaseUrl(profile.baseUrl)
    const others = (await parseProfiles(without, path)).filter(
      (one) => normalBaseUrl(one.baseUrl) === base,
    )
    const hasUser = others.some((one) => one.username === username && one.parentUid === parentUid)
    const keyring = await context.platform.openKeyring()
    if (username !== undefined && !hasUser) {
      const { findRecord } = await import('../session/record.ts')
      const record = await findRecord([base, username, parentUid], context)
      await record.forget()
      await record.forgetRefusals()
      keyring?.remove(passwordAccount(base, username, parentUid))
    }
    await forgetUnlessShared(base, profile, others, context)
    if (accessKeyId !== undefined && !others.some((one) => one.accessKeyId === accessKeyId)) {
      keyring?.remove(secretAccount(base, accessKeyId))
    }
    if (without.trim() !== '') await writePrivateFile(path, without)
    else await rm(path, { force: true })
    // Nothing is left behind by the last one.
    const sessions = await context.platform.sessionsFolder()
    for (const folder of [dirname(path), sessions, dirname(sessions)]) {
      await rmdir(folder).catch(() => {})
    }
    context.stderr.write(`Removed the profile ${name}\n`)
    return exitCodes.done
  },
}

export const profileCommands: CommandGroup = {
  name: 'profile',
  summary: 'add, list and remove profiles',
  description:
    'A profile names an environment of the service and who uses it. It holds no secrets.',
  commands: [add, list, remove],
}

async function keepSecrets(
  { baseUrl, username, parentUid, accessKeyId, credentialProcess }: Profile,
  { secretStdin }: ProfileAddOptions,
  context: CommandContext,
): Promise<void> {
  const base = normalBaseUrl(baseUrl)
  const keyring = await context.platform.openKeyring()
  if (secretStdin) {
    if (accessKeyId === undefined) throw new UsageError('--secret-stdin needs --access-key-id')
    if (!keyring) {
      const remedy = await secretRemedy(context)
      throw new UsageError(
        `the profile was not saved, since ${context.platform.noKeyring}: leave out --secret-stdin, and ${remedy}`,
      )
    }
    keyring.set(secretAccount(base, accessKeyId), await readPipedSecret('--secret-stdin', context))
  }
  if (credentialProcess !== undefined || (accessKeyId ?? username) === undefined) return
  if (!keyring) {
    const remedies = [
      ...(username === undefined ? [] : [`for the password, ${passwordRemedy(context)}`]),
      ...(accessKeyId === undefined ? [] : [`for the key, ${await secretRemedy(context)}`]),
    ]
    context.stderr.write(
      `No secret is kept, since ${context.platform.noKeyring}: ${remedies.join('; ')}\n`,
    )
    return
  }
  if (!canPrompt(context)) return
  const ask = async (question: string, account: string): Promise<void> => {
    const secret = await promptSecret(question, context, true)
    if (secret !== '') keyring.set(account, secret)
  }
  if (accessKeyId !== undefined && !secretStdin) {
    const question = `Secret of the access key ${accessKeyId}, for the keyring (empty: not kept)`
    await ask(question, secretAccount(base, accessKeyId))
  }
  if (username !== undefined) {
    const question = `Password of ${username}, for the keyring (empty: asked for at each login)`
    await ask(question, passwordAccount(base, username, parentUid))
  }
}
