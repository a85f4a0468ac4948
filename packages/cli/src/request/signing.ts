import type { ApiKey, SigV4AuthOptions } from '@svc/auth-sigv4'
import type { AuthScheme } from '@svc/types'
import type { GlobalOptions } from '../command.ts'
import { readConfiguration } from '../configuration/configuration.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import { formatDuration } from '../output/text.ts'
import { findKeyFaults } from './key-faults.ts'
import type { ServiceUrl } from './url.ts'

/** Everything that signs requests: the key itself, and the settings that {@link createAuth} makes a scheme of. */
export interface Signing {
  readonly baseUrl: string
  readonly region: string
  readonly apiKey: ApiKey
  /** Creates a scheme with this key and region, or with others where settings say so. */
  readonly createAuth: (settings?: Partial<SigV4AuthOptions>) => Promise<AuthScheme>
  /** Returns the same with another key. */
  readonly withKey: (apiKey: ApiKey) => Signing
}

/**
 * Reads the API key and the region of the configuration. The key is read once, since whatever provides it may be slow.
 *
 * @throws UsageError if one of them is missing.
 */
export async function openSigning(
  options: GlobalOptions,
  context: CommandContext,
): Promise<Signing> {
  const { baseUrl, region, apiKey: readKey } = await readConfiguration(options, context)
  if (!readKey) {
    throw new UsageError(
      'no API key is configured: set SVC_AUTH_ACCESS_KEY_ID and SVC_AUTH_SECRET_ACCESS_KEY, or use a profile that has one',
    )
  }
  if (region === undefined) {
    throw new UsageError('no region is configured: give --region, or set SVC_AUTH_REGION')
  }
  const { clock } = context
  return signingWith({ baseUrl, region, clock }, await readKey())
}

function signingWith(
  settings: Pick<SigV4AuthOptions, 'clock'> & Pick<Signing, 'baseUrl' | 'region'>,
  apiKey: ApiKey,
): Signing {
  const { baseUrl, region } = settings
  return {
    baseUrl,
    region,
    apiKey,
    async createAuth(others) {
      const { createSigV4Auth } = await import('@svc/auth-sigv4')
      return createSigV4Auth({ ...settings, credentials: apiKey, ...others })
    },
    withKey: (other) => signingWith(settings, other),
  }
}

/**
 * Returns the scheme that signs.
 *
 * @throws UsageError if the path takes a token, or the key cannot sign: it is over, or was copied wrongly.
 */
export async function requireSigning(
  signing: Signing,
  { url, needsToken }: ServiceUrl,
  { clock }: CommandContext,
): Promise<AuthScheme> {
  assertSigned({ url, needsToken })
  assertCurrent(signing.apiKey, clock())
  const fault = findKeyFaults(signing.apiKey).find(({ isFatal }) => isFatal)
  if (fault) throw new UsageError(`${fault.problem}: copy it again`)
  return signing.createAuth()
}

/** Throws a UsageError for a path that the service takes a token for. */
export function assertSigned({ url, needsToken }: ServiceUrl): void {
  if (!needsToken) return
  throw new UsageError(
    `${url.pathname} is below /user, where the service takes a token and no signature; svc-auth sign shows its headers`,
  )
}

/** Throws a UsageError for a session key that is over. */
export function assertCurrent(apiKey: ApiKey, now: number): void {
  const endsAt = keyEnd(apiKey)
  if (endsAt === undefined || endsAt > now) return
  throw new UsageError(
    `the session key ${apiKey.accessKeyId} expired at ${new Date(endsAt).toISOString()}, ` +
      `${formatDuration(now - endsAt)} ago: get a new one`,
  )
}

/** Returns the end of a session key, in epoch milliseconds. */
export function keyEnd({ expiresAt, expiration }: ApiKey): number | undefined {
  const ends = [expiresAt, expiration?.getTime()].filter((end) => end !== undefined)
  return ends.length === 0 ? undefined : Math.min(...ends)
}
