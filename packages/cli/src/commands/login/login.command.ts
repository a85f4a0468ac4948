import type { LoginOptions } from './login.options.ts'
import type { CommandDefinition } from '../../command.ts'

export const loginCommand: CommandDefinition<LoginOptions> = {
  name: 'login',
  summary: 'log in once, for all later commands',
  description:
    'Logs in and keeps the session: until it ends, no command asks for the password. The token is kept ' +
    'sealed, under a random key that stands in the keyring or, without one, in a file that only you can read. ' +
    'The password comes from SVC_AUTH_PASSWORD, the credential_process of the profile, the keyring, or is asked for.',
  args: [],
  options: [
    {
      flags: '--password-stdin',
      description: 'read the password from standard input',
      default: 'off',
    },
    { flags: '--again', description: 'log in although a session is still good', default: 'off' },
    {
      flags: '--save',
      description: 'log in, and keep the password in the keyring, so that later sessions need none',
      default: 'off',
    },
  ],
  examples: [
    {
      line: 'svc-auth login',
      does: 'log in as the user of the profile; the password is asked for',
    },
    {
      line: 'pass show search | svc-auth login --username reader@example.com --password-stdin',
      does: 'log in with a password of a password manager',
    },
  ],
  load: async () => (await import('./login.ts')).runLogin,
}
