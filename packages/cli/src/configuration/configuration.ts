import type { RepeatedParameters } from '@svc/auth-sigv4'
import { type AwsUse, withAwsProfile } from '../aws/aws-profile.ts'
import type { GlobalOptions } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import { type ConfiguredKey, readConfiguredKey } from './configured-key.ts'
import { type ConfiguredUser, readConfiguredUser } from './configured-user.ts'
import { type ProcessCredentials, runCredentialProcess } from './credential-process.ts'
import type { SignInConfiguration } from '../session/sign-in.ts'
import { oauthClientOf } from './oauth-client.ts'
import { chooseProfile, normalBaseUrl, type Profile, readProfiles } from './profiles.ts'
import { findSetting, type Found, type Places, variable } from './settings.ts'

/** The service and who uses it. Secrets are read when they are needed. */
export interface Configuration {
  readonly profile: Profile | undefined
  readonly baseUrl: Found | undefined
  readonly region: Found | undefined
  readonly user: ConfiguredUser | undefined
  readonly key: ConfiguredKey | undefined
  /** The order in which signatures have repeated query parameters, if it is not the usual one. */
  readonly repeatedParameters: RepeatedParameters | undefined
  /** Given if users sign in by OAuth. */
  readonly signIn: SignInConfiguration | undefined
  /** Given if a profile of AWS's own files takes part. */
  readonly aws?: AwsUse
  /** `true` if HTTP/2 is offered to the service. */
  readonly offersHttp2: boolean
  /** `true` if http may be spoken beyond this machine. */
  readonly allowsInsecureHttp: boolean
  /** `true` if a proxy of the environment gets also the requests to this machine. */
  readonly proxiesLoopback: boolean
  /** The profiles that are not used, since they are for other base URLs. */
  readonly otherProfiles: readonly Profile[]
}

/** Reads the configuration: flags, then environment variables, then the profile. */
export async function readConfiguration(
  options: GlobalOptions,
  context: CommandContext,
): Promise<Configuration> {
  const name = options.profile ?? variable(context, 'SVC_AUTH_PROFILE')
  const given = findSetting('baseUrl', { options, context, profile: undefined })
  const profiles = await readProfiles(context)
  const profile = chooseProfile(profiles, name, given?.value)
  const places: Places = { options, context, profile, runProcess: processOf(profile, context) }
  const baseUrl = given ?? findSetting('baseUrl', places)
  const client = profile && oauthClientOf(profile)
  const owner = normalBaseUrl(baseUrl?.value ?? '')
  const configuration = {
    profile,
    baseUrl,
    region: findSetting('region', places),
    user: readConfiguredUser(places, owner),
    key: readConfiguredKey(places, owner),
    repeatedParameters: readOrder(places),
    signIn: client && { client },
    offersHttp2: options.http2 === true,
    allowsInsecureHttp: allowsHttp(options, context),
    proxiesLoopback: options.proxyLoopback === true,
    otherProfiles: profile ? [] : profiles,
  }
  return withAwsProfile(configuration, options, context)
}

/** The time before the end of a key at which its command is run again. */
const renewBeforeMs = 5 * 60_000

function processOf(profile: Profile | undefined, context: CommandContext): Places['runProcess'] {
  const command = profile?.credentialProcess
  if (!profile || !command) return undefined
  let last: Promise<ProcessCredentials> | undefined
  return async () => {
    const { expiresAt = Infinity } = (await last) ?? {}
    if (!last || expiresAt - renewBeforeMs < context.clock()) {
      last = runCredentialProcess(command, profile.name, context)
    }
    return last
  }
}

function readOrder(places: Places): RepeatedParameters | undefined {
  const { value, source } = findSetting('repeatedParameters', places) ?? {}
  if (value === undefined || value === 'by-value' || value === 'wire-order') return value
  throw new UsageError(`${source}: repeated parameters are signed by-value or in wire-order`)
}

/** Says that a setting is missing, and how to give it. */
export function missingSetting(
  what: string,
  flag: string,
  configuration: Pick<Configuration, 'otherProfiles'>,
): UsageError {
  const name = `SVC_AUTH_${flag.replaceAll('-', '_').toUpperCase()}`
  const unused = unusedProfiles(configuration).join(', ')
  const hint = unused && ` (of the profiles, ${unused})`
  return new UsageError(
    `no ${what}: give --${flag}, set ${name}, or save it by \`svc-auth profile add\`${hint}`,
  )
}

/** Says what the profiles are for that are not used. */
export function unusedProfiles({ otherProfiles }: Pick<Configuration, 'otherProfiles'>): string[] {
  return otherProfiles.map(({ name, baseUrl }) => `${name} is for ${baseUrl}`)
}

/** Tells if http may be spoken beyond this machine. */
export function allowsHttp(options: GlobalOptions, context: CommandContext): boolean {
  const isSet = variable(context, 'SVC_AUTH_ALLOW_INSECURE_HTTP') === '1'
  return options.allowInsecureHttp === true || isSet
}
