import type { ProfileAddOptions } from './profile.options.ts'
import type { CommandDefinition, CommandGroup } from '../../command.ts'

const add: CommandDefinition<ProfileAddOptions> = {
  name: 'add',
  summary: 'save a profile',
  description:
    'Saves the settings that are given as a profile. Secrets are not part of it: on a terminal, the secret of the ' +
    'access key and the password are asked for and kept in the keyring.',
  args: [{ name: '<name>', description: 'the name of the profile: letters, digits, - and _' }],
  options: [
    {
      flags: '--credential-process <command>',
      description:
        "a command that prints the secrets as JSON, in the form of AWS's programs, with Password beside it",
      default: 'none',
    },
    {
      flags: '--secret-stdin',
      description: 'read the secret of the access key from standard input, into the keyring',
      default: 'off',
    },
    { flags: '--replace', description: 'replace a profile of this name', default: 'off' },
  ],
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
  load: async () => (await import('./profile.ts')).runProfileAdd,
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
  load: async () => (await import('./profile.ts')).runProfileList,
}

const show: CommandDefinition<object> = {
  name: 'show',
  summary: 'show the settings of a profile',
  description:
    'Shows the settings of a profile as they stand in the file. There are no secrets among them.',
  args: [{ name: '[name]', description: 'the name of the profile (default: the only one)' }],
  options: [],
  isConfigured: false,
  examples: [
    { line: 'svc-auth profile show', does: 'show the only profile' },
    { line: 'svc-auth profile show production', does: 'show one of several' },
  ],
  load: async () => (await import('./profile.ts')).runProfileShow,
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
  load: async () => (await import('./profile.ts')).runProfileRemove,
}

export const profileCommands: CommandGroup = {
  name: 'profile',
  summary: 'save, list, show and remove profiles',
  description:
    'A profile names an environment of the service and who uses it. It holds no secrets.',
  commands: [add, list, show, remove],
}
