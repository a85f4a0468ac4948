import type { CommandDefinition } from '../command.ts'
import { missingSetting, readConfiguration } from '../configuration/configuration.ts'
import { passwordAccount } from '../configuration/configured-user.ts'
import { exitCodes } from '../exit.ts'
import { openConfigured } from '../service.ts'

/** Values of the options of `logout`. */
interface LogoutOptions {
  readonly forgetPassword?: boolean
}

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
    },
  ],
  examples: [
    { line: 'svc-auth logout', does: 'forget the session of the profile' },
    {
      line: 'svc-auth logout --profile production --forget-password',
      does: 'forget also the password that the keyring has',
    },
  ],
  async run(_, options, context) {
    // The session alone: no secret is needed to forget it.
    const configuration = { ...(await readConfiguration(options, context)), key: undefined }
    const { user } = configuration
    if (!user) throw missingSetting('user name', 'username', configuration)
    const { session, baseUrl } = await openConfigured(configuration, context, false)
    await session?.forget()
    if (options.forgetPassword) {
      const keyring = await context.openKeyring()
      keyring?.remove(passwordAccount(baseUrl, user.username.value, user.parentUid?.value))
    }
    context.stderr.write(`The session of ${user.username.value} is forgotten on this machine\n`)
    return exitCodes.done
  },
}
