import type { CommandDefinition } from '../command.ts'
import { missingSetting, readConfiguration } from '../configuration/configuration.ts'
import { passwordAccount } from '../configuration/configured-user.ts'
import { normalBaseUrl } from '../configuration/profiles.ts'
import { exitCodes } from '../exit.ts'
import { logOutOfSignIn } from './login-by-sign-in.ts'

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
    const configuration = await readConfiguration(options, context)
    const { user, baseUrl: found, signIn } = configuration
    if (signIn && found) {
      return logOutOfSignIn(normalBaseUrl(found.value), signIn, context)
    }
    if (!user) throw missingSetting('user name', 'username', configuration)
    if (!found) throw missingSetting('base URL', 'base-url', configuration)
    const baseUrl = normalBaseUrl(found.value)
    const owner = [baseUrl, user.username.value, user.parentUid?.value] as const
    const { forgetSession } = await import('../session/session.ts')
    await forgetSession(...owner, context)
    if (options.forgetPassword) (await context.openKeyring())?.remove(passwordAccount(...owner))
    context.stderr.write(`The session of ${user.username.value} is forgotten on this machine\n`)
    return exitCodes.done
  },
}
