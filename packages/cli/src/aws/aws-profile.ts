import type { ApiKey } from '@svc/auth-sigv4'
import type { AuthScheme } from '@svc/types'
import type { GlobalOptions } from '../command.ts'
import type { ConfiguredKey } from '../configuration/configured-key.ts'
import { type Found, type SecretPlace, variable } from '../configuration/settings.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import type { AwsKey } from './aws-key.ts'

/** The profile of AWS's own files that takes part in a command. */
export interface AwsUse {
  /** Its name, and the place that names it. */
  readonly profile: Found
  /** The service that signatures name; `undefined` if the base URL is none of AWS. */
  readonly service: string | undefined
  /** The key that it gives; `undefined` if the command has another one. */
  readonly key: AwsKey | undefined
  /** Returns the scheme for AWS; `undefined` for any other service, or without a key. */
  openAuth(place: SecretPlace<ApiKey> | undefined): Promise<AuthScheme | undefined>
}

/** The settings of a command that a profile of AWS may change. */
interface Settings {
  readonly baseUrl: Found | undefined
  readonly region: Found | undefined
  readonly user: unknown
  readonly key: ConfiguredKey | undefined
}

interface NamedProfile extends Found {
  /** `true` if this command names it, and not its environment. */
  readonly isFlag: boolean
}

/** Returns the profile of AWS that is named. */
function namedProfile(
  { awsProfile, accessKeyId }: GlobalOptions,
  context: CommandContext,
): NamedProfile | undefined {
  if (awsProfile === '') throw new UsageError('--aws-profile must not be empty')
  if (awsProfile !== undefined && accessKeyId !== undefined) {
    throw new UsageError('--aws-profile and --access-key-id both name the key; give one of them')
  }
  if (awsProfile !== undefined) return { value: awsProfile, source: '--aws-profile', isFlag: true }
  const value = variable(context, 'AWS_PROFILE')
  return value === undefined ? undefined : { value, source: 'AWS_PROFILE', isFlag: false }
}

/**
 * Makes the origin of a whole URL of AWS the base URL, where a profile of AWS is named: nobody configures each host.
 * A base URL on this host, or one of a flag, stays.
 */
export async function withAwsBaseUrl<Options extends GlobalOptions>(
  [target = '']: readonly string[],
  options: Options,
  context: CommandContext,
  readConfiguration: (
    options: GlobalOptions,
    context: CommandContext,
  ) => Promise<Pick<Settings, 'baseUrl'>>,
): Promise<Options> {
  if (!/^https:\/\//i.test(target) || options.baseUrl !== undefined) return options
  if (!namedProfile(options, context) || !URL.canParse(target)) return options
  const { origin } = new URL(target)
  const { readScope } = await import('./aws-key.ts')
  if (!(await readScope(origin, options.region))) return options
  // What is wrong with it is told by the command.
  const configuration = await readConfiguration(options, context).catch(() => undefined)
  const { value = '' } = configuration?.baseUrl ?? {}
  const isThere = URL.canParse(value) && new URL(value).origin === origin
  return isThere ? options : { ...options, baseUrl: origin }
}

/**
 * Lets a profile of AWS sign. One that a flag names gives the key before all others. `AWS_PROFILE`, which is often set
 * for other programs, counts for hosts of AWS alone, and only where no key is configured.
 *
 * @throws UsageError if two flags name the key.
 */
export async function withAwsProfile<Configuration extends Settings>(
  configuration: Configuration,
  options: GlobalOptions,
  context: CommandContext,
): Promise<Configuration & { readonly aws?: AwsUse }> {
  const named = namedProfile(options, context)
  const { baseUrl, region: given, user } = configuration
  if (!named || !baseUrl) return configuration
  const { createAwsKey, openAwsAuth, readScope } = await import('./aws-key.ts')
  const isAws = (await readScope(baseUrl.value, given?.value)) !== undefined
  if (!isAws && !named.isFlag) return configuration
  const own = named.isFlag ? undefined : configuration.key
  const key = own ? undefined : createAwsKey(named, context)
  const region = given ?? (await key?.findRegion())
  const scope = await readScope(baseUrl.value, region?.value)
  const source = scope?.source ?? region?.source ?? baseUrl.source
  const used = {
    ...configuration,
    region: scope ? { value: scope.region, source } : region,
    // AWS knows keys alone.
    user: scope ? undefined : user,
    key: own
      ? {
          ...own,
          hint: `${own.hint}; ${named.source} is not used, since ${placeOf(own)} names a key`,
        }
      : { accessKeyId: undefined, hint: '', find: async () => key?.place },
  }
  const service = scope?.service
  const openAuth: AwsUse['openAuth'] = async (place) =>
    service === undefined ? undefined : openAwsAuth(used, place, context)
  return { ...used, aws: { profile: named, service, key, openAuth } }
}

/** Returns a request as it is for AWS, where no path takes a token. */
export function forAws<Request extends { readonly needsToken: boolean }>(
  { configuration }: { readonly configuration: { readonly aws?: AwsUse } },
  request: Request,
): Request {
  return configuration.aws?.service === undefined ? request : { ...request, needsToken: false }
}

/** Says what a host of AWS names, if requests to it are signed for something else: without a profile that is s3. */
export async function namedByHost({ origin }: URL, region: string): Promise<string | undefined> {
  const { readScope } = await import('./aws-key.ts')
  const named = await readScope(origin, region)
  if (!named?.service || (named.service === 's3' && named.region === region)) return undefined
  return `The host names ${named.service} in ${named.region}, and the request is signed for s3 in ${region}: --aws-profile signs for what the host names.`
}

/** Returns the place that names a key. */
function placeOf({ accessKeyId }: ConfiguredKey): string {
  return accessKeyId?.source ?? 'a credential_process'
}

/** Returns what `doctor` says of the profile of AWS. */
export function awsFindings(
  { aws, key, baseUrl }: Settings & { readonly aws?: AwsUse },
  options: GlobalOptions,
  context: CommandContext,
): readonly (readonly [name: string, state: 'ok', text: string])[] {
  const named = namedProfile(options, context)
  if (!named) return []
  const name = `${named.value} (from ${named.source})`
  const says = (text: string) => [['AWS profile', 'ok', text] as const]
  if (!baseUrl) return says(`${name}, for a whole URL of AWS`)
  if (!aws) return says(`${name}, not used: ${baseUrl.value} is none of AWS`)
  const service = aws.service === undefined ? '' : `; signs for ${aws.service}`
  if (aws.key) return says(`${name}${service}`)
  return says(`${name}, not used${key ? `: ${placeOf(key)} names a key` : ''}${service}`)
}
