import type { CommandDefinition, Switches } from '../command.ts'
import { missingSetting, readConfiguration } from '../configuration/configuration.ts'
import { passwordAccount } from '../configuration/configured-user.ts'
import { normalBaseUrl } from '../configuration/profiles.ts'
import { exitCodes } from '../exit.ts'
import { openConfigured } from '../service.ts'
import { logOutOfSignIn } from './login-by-sign-in.ts'

export const logoutCommand: CommandDefinition<Switches<'forgetPassword'>> = {
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
    const name = user.username.value
    const owner = [baseUrl, name, user.parentUid?.value] as const
    const bare = { ...configuration, key: undefined, allowsInsecureHttp: true }
    const { session } = await openConfigured(bare, context, false)
    const expiresAt = await session?.expiresAt()
    const { findRecord } = await import('../session/record.ts')
    const record = await findRecord(owner, context)
    await record.forget()
    await record.forgetRefusals()
    if (options.forgetPassword)
      (await context.platform.openKeyring())?.remove(passwordAccount(...owner))
    context.stderr.write(
      expiresAt === undefined
        ? `${name} had no session on this machine\n`
        : `The session of ${name} is forgotten on this machine\n`,
    )
    return exitCodes.done
  },
}
