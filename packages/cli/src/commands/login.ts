import type { CommandDefinition } from '../command.ts'
import { missingSetting, readConfiguration } from '../configuration/configuration.ts'
import { type ConfiguredUser, passwordAccount } from '../configuration/configured-user.ts'
import { canPrompt, promptSecret, readPipedSecret } from '../configuration/prompt.ts'
import type { CommandContext } from '../context.ts'
import { exitCodes, UsageError } from '../exit.ts'
import { formatInstant } from '../output/instant.ts'
import { openConfigured } from '../service.ts'
import { logInBySignIn, type SignInFlags, signInOptions } from './login-by-sign-in.ts'

export const loginCommand: CommandDefinition<SignInFlags> = {
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
    },
    { flags: '--again', description: 'log in although a session is still good' },
    ...signInOptions,
    {
      flags: '--save',
      description: 'log in, and keep the password in the keyring, so that later sessions need none',
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
  async run(_, options, context) {
    const configuration = { ...(await readConfiguration(options, context)), key: undefined }
    if (configuration.signIn || options.device || options.browser) {
      return logInBySignIn(configuration, options, context)
    }
    const { user } = configuration
    if (!user) throw missingSetting('user name', 'username', configuration)
    const name = user.username.value
    const { clock, stderr } = context
    const kept = await openConfigured(configuration, context, false)
    const expiresAt = await kept.session?.expiresAt()
    // A password is worth keeping only if it is right.
    const again = options.again === true || options.save === true
    if (expiresAt !== undefined && !again) {
      const until = formatInstant(expiresAt, clock())
      stderr.write(
        `${name} is logged in until ${until}, unless the service ended that; nothing was sent or checked: --again logs in anew\n`,
      )
      return exitCodes.done
    }

    // A login that later commands know nothing of would end the user's other sessions for nothing.
    const unkept = await kept.session?.whyUnkept()
    if (unkept !== undefined) throw new UsageError(unkept)
    const typed = await typedPassword(options, user, context)
    if (typed === undefined && !(await user.find())) {
      throw new UsageError(
        `no password of ${name}: pipe it to svc-auth login --password-stdin, set SVC_AUTH_PASSWORD, or run this on a terminal`,
      )
    }
    const source = options.passwordStdin ? 'standard input' : 'the terminal'
    const place = typed === undefined ? undefined : { source, read: async () => typed }
    const login = { ...configuration, ...(place && { user: { ...user, find: async () => place } }) }
    const service = await openConfigured(login, context)
    try {
      const ended = await service.session?.logIn(expiresAt === undefined ? undefined : 'anew')
      const until = ended === undefined ? '' : ` until ${formatInstant(ended, clock())}`
      stderr.write(`Logged in as ${name}${until}\n`)
      if (options.save && typed !== undefined) {
        const keyring = await context.platform.openKeyring()
        keyring?.set(passwordAccount(service.baseUrl, name, user.parentUid?.value), typed)
      }
      return exitCodes.done
    } finally {
      await service.close()
    }
  },
}

/** Reads the password where the command line says how; `undefined` if the configuration has it. */
async function typedPassword(
  { passwordStdin, save }: SignInFlags,
  user: ConfiguredUser,
  context: CommandContext,
): Promise<string | undefined> {
  if (save && !(await context.platform.openKeyring())) {
    throw new UsageError(
      `--save needs a keyring, and ${context.platform.noKeyring}: use a credential_process or SVC_AUTH_PASSWORD`,
    )
  }
  if (passwordStdin) return readPipedSecret('--password-stdin', context)
  if (!save || !canPrompt(context)) return undefined
  return promptSecret(`Password of ${user.username.value}`, context)
}
