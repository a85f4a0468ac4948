import type { RunCommand } from '../../command.ts'
import { readConfiguration } from '../../configuration/configuration.ts'
import { passwordAccount } from '../../configuration/configured-user.ts'
import { exitCodes, UsageError } from '../../exit.ts'
import { openConfigured } from '../../service.ts'
import type { LogoutOptions } from './logout.options.ts'

/** Forgets the session of the user. */
export const runLogout: RunCommand<LogoutOptions> = async (_, options, context) => {
  // The session alone: no secret is needed to forget it.
  const configuration = { ...(await readConfiguration(options, context)), key: undefined }
  const { user } = configuration
  if (!user) throw new UsageError('no user name: give --username, or the profile')
  const { session, baseUrl } = await openConfigured(configuration, context, false)
  await session?.forget()
  if (options.forgetPassword) {
    const keyring = await context.openKeyring()
    keyring?.remove(passwordAccount(baseUrl, user.username.value, user.parentUid?.value))
  }
  context.stderr.write(`The session of ${user.username.value} is forgotten on this machine\n`)
  return exitCodes.done
}
