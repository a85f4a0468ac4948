import type { CommandOption, Switches } from '../command.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { type OAuthClient, oauthClientOf, signInParts } from '../configuration/oauth-client.ts'
import type { CommandContext } from '../context.ts'
import { errorCode, type ExitCode, exitCodes, UsageError } from '../exit.ts'
import { formatInstant } from '../output/instant.ts'
import { openConfigured } from '../service.ts'
import type { SignInConfiguration, SignInWay } from '../session/sign-in.ts'

/** Values of the options of `login`. */
export type SignInFlags = Switches<'device' | 'browser' | 'again' | 'save' | 'passwordStdin'>

/** The flags of `login` for it. */
export const signInOptions: readonly CommandOption[] = [
  {
    flags: '--device',
    description: 'sign in to an OAuth service by a code, on any device (its default)',
  },
  { flags: '--browser', description: 'sign in to an OAuth service in the browser of this machine' },
]

/** Has the user sign in, unless they are. */
export async function logInBySignIn(
  configuration: Configuration,
  { device, browser, again, save, passwordStdin }: SignInFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { signIn, profile } = configuration
  if (!signIn) {
    const name = profile ? `the profile ${profile.name}` : 'the configuration'
    throw new UsageError(
      `${name} has no issuer, where users sign in: svc-auth profile add --issuer <url>`,
    )
  }
  if (device && browser) throw new UsageError('give --device or --browser, not both')
  if (save || passwordStdin) {
    throw new UsageError('users of this profile sign in by OAuth, which takes no password here')
  }
  const { stderr, clock } = context
  const until = (expiresAt: number | undefined): string =>
    expiresAt === undefined ? '' : ` until ${formatInstant(expiresAt, clock())}`
  const open = (way?: SignInWay, isAnew?: boolean) =>
    openConfigured({ ...configuration, signIn: { ...signIn, way, isAnew } }, context)
  if (!again) {
    const kept = await open()
    const state = await kept.session
      ?.logIn()
      .then(
        (expiresAt) => ({ expiresAt }),
        (error: unknown) => {
          // Whoever is not signed in is asked below.
          if (!errorCode(error).startsWith('ERR_AUTH_SIGN_IN_')) throw error
          return undefined
        },
      )
      .finally(() => kept.close())
    if (state) {
      const { expiresAt } = state
      stderr.write(
        `You are signed in, with a token that is good${until(expiresAt)}; --again signs in anew\n`,
      )
      return exitCodes.done
    }
  }
  const service = await open(browser ? 'browser' : 'device', again)
  try {
    const expiresAt = await service.session?.logIn()
    stderr.write(`Signed in to ${service.baseUrl}, with a token that is good${until(expiresAt)}\n`)
    return exitCodes.done
  } finally {
    await service.close()
  }
}

/** Forgets the sign-in on this machine. */
export async function logOutOfSignIn(
  baseUrl: string,
  { client }: SignInConfiguration,
  context: CommandContext,
): Promise<ExitCode> {
  const { forgetSignIn } = await import('../session/sign-in.ts')
  await forgetSignIn(baseUrl, client, context)
  context.stderr.write(`The sign-in to ${baseUrl} is forgotten on this machine\n`)
  return exitCodes.done
}

/** Forgets the sign-in of a profile that is removed, unless another one for the same base URL has it, too. */
export async function forgetUnlessShared(
  baseUrl: string,
  removed: OAuthClient,
  others: readonly OAuthClient[],
  context: CommandContext,
): Promise<void> {
  const client = oauthClientOf(removed)
  const text = JSON.stringify(signInParts(removed))
  const isShared = others.some((other) => JSON.stringify(signInParts(other)) === text)
  if (!client || isShared) return
  const { forgetSignIn } = await import('../session/sign-in.ts')
  await forgetSignIn(baseUrl, client, context)
}
