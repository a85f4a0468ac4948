import type { ApiKey, SigV4AuthOptions } from '@svc/auth-sigv4'
import type { AuthScheme } from '@svc/types'
import type { GlobalOptions } from '../command.ts'
import { readConfiguration } from '../configuration/configuration.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import { missingForSignature, openConfigured, type Service } from '../service.ts'
import { readUsableKey } from './key-faults.ts'
import type { ServiceUrl } from './url.ts'

/** Everything that signs requests: the key itself, and what makes schemes with it. */
export interface Signing {
  readonly baseUrl: string
  readonly region: string
  readonly apiKey: ApiKey
  /** Creates a scheme with this key and region, or with others where settings say so. */
  readonly createAuth: (settings?: Partial<SigV4AuthOptions>) => Promise<AuthScheme>
}

/** Opens the service for its API key alone: nothing looks for a password. */
export async function openForKey(
  options: GlobalOptions,
  context: CommandContext,
): Promise<Service> {
  const configuration = await readConfiguration(options, context)
  return openConfigured({ ...configuration, user: undefined }, context)
}

/** Reads the API key, once since whatever provides it may be slow, and checks that it can sign. */
export async function openSigning(
  { baseUrl, configuration }: Service,
  { url, needsToken }: ServiceUrl,
  context: CommandContext,
): Promise<Signing> {
  if (needsToken && !configuration.aws?.service) {
    throw new UsageError(
      `${url.pathname} is below /user, where the service takes a token and no signature; svc-auth sign shows its headers`,
    )
  }
  const { clock } = context
  const { key, region: found, repeatedParameters } = configuration
  const place = await key?.find()
  if (!found || !place) throw await missingForSignature(configuration, context)
  const region = found.value
  const scope = configuration.aws?.service ? { service: configuration.aws.service } : {}
  const apiKey = await readUsableKey(place, key?.accessKeyId, clock)
  return {
    baseUrl,
    region,
    apiKey,
    async createAuth(settings) {
      const { createSigV4Auth } = await import('@svc/auth-sigv4')
      const own = { baseUrl, region, clock, credentials: apiKey, repeatedParameters, ...scope }
      return createSigV4Auth({ ...own, ...settings })
    },
  }
}
