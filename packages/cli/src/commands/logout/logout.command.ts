import type { LogoutOptions } from './logout.options.ts'
import type { CommandDefinition } from '../../command.ts'

export const logoutCommand: CommandDefinition<LogoutOptions> = {
  name: 'logout',
  summary: 'forget the session on this machine',
  description:
    'Forgets the session of the user and the key that it is sealed with. The service is not told: its interface ' +
    'shows no way to revoke a token, so a token that was copied is good until it expires.',
  args: [],
  options: [
    {
      flags: '--forget-password',
      description: 'remove the password from the keyring too',
      default: 'off',
    },
  ],
  examples: [
    { line: 'svc-auth logout', does: 'forget the session of the profile' },
    {
      line: 'svc-auth logout --profile production --forget-password',
      does: 'forget also the password that the keyring has',
    },
  ],
  load: async () => (await import('./logout.ts')).runLogout,
}
