import { AuthError } from '@svc/auth-hooks'
import { abortable, isLoopback } from '@svc/auth-hooks/scheme'
import type { ApiKey } from '@svc/auth-sigv4'
import { createAwsAuth } from '@svc/auth-sigv4/aws'
import { type AwsCredentials, awsCredentials } from '@svc/auth-sigv4/credentials'
import type { AuthScheme, Fetch } from '@svc/types'
import type { EnvHttpProxyAgent } from 'undici'
import type { ConfiguredKey } from '../configuration/configured-key.ts'
import type { Found, SecretPlace } from '../configuration/settings.ts'
import type { CommandContext } from '../context.ts'
import { UsageError } from '../exit.ts'
import { findKeyFaults, readUsableKey } from '../request/key-faults.ts'
import { namedProxies } from '../request/undici.ts'

/** The key of a profile of AWS. */
export interface AwsKey {
  readonly place: SecretPlace<ApiKey>
  /** Resolves to the region of the profile, or of AWS's variables. */
  findRegion(): Promise<Found | undefined>
  /** Says for `doctor` if there is a key. `isOnline` lets services of AWS be asked. */
  examine(isOnline: boolean): Promise<readonly [state: 'ok' | 'wrong', says: string]>
}

/** Opens a profile as AWS's own tools do. Nothing is read before a key is asked for. */
export function createAwsKey(profile: Found, context: CommandContext): AwsKey {
  const source = `the AWS profile ${profile.value}`
  const { clock, signal } = context
  const open = (fetch: Fetch) => awsCredentials({ profile: profile.value, fetch, clock, signal })
  const credentials = open(createFetch(context))
  const read = (from: AwsCredentials): Promise<ApiKey> =>
    abortable(from(), signal).catch((cause: unknown) => {
      if (!AuthError.is(cause)) throw cause
      const [, reason = cause.message] = cause.message.split(`\n- profile ${profile.value}: `)
      throw new UsageError(`${source} gives no key: ${reason}`, { cause })
    })
  return {
    place: { source, read: () => read(credentials) },
    async findRegion() {
      // A file that is broken is told where its key is asked for.
      const value = await credentials.region().catch(() => undefined)
      return value === undefined ? undefined : { value, source }
    },
    async examine(isOnline) {
      let isAsked = false
      const refuse: Fetch = async () => {
        isAsked = true
        throw new Error('nothing is sent')
      }
      const find = isOnline ? credentials : open(refuse)
      try {
        const faults = findKeyFaults(await read(find))
        const problems = faults.map(({ problem }) => `; ${problem}`).join('')
        return [faults.length > 0 ? 'wrong' : 'ok', `from ${source}${problems}`]
      } catch (error) {
        if (!isAsked) throw error
        return ['ok', `from ${source}, whose key a service of AWS has: --online asks it`]
      }
    },
  }
}

/** Tells if a URL is one of this machine or of its own services, which no proxy reaches. */
export function isDirect(url: URL): boolean {
  return isLoopback(url) || /^(?:169\.254\.[\d.]+|\[fd00:ec2::[\da-f]+\])$/.test(url.hostname)
}

/** Returns a `fetch` that heeds the proxy of the environment, as all requests of a command do. */
function createFetch(context: CommandContext): Fetch {
  let opened: EnvHttpProxyAgent | undefined
  return (async (input: URL, init?: object) => {
    if (isDirect(input)) return globalThis.fetch(input, init)
    const { EnvHttpProxyAgent: Dispatcher, fetch } = await import('undici')
    opened ??= new Dispatcher(namedProxies(context))
    return fetch(input, { ...init, dispatcher: opened })
    // The types of the two `fetch` differ, and nothing else.
  }) as unknown as Fetch
}

/** What signatures of requests to a host of AWS name. */
export interface AwsScope {
  readonly service: string
  readonly region: string
  /** Where the region was found; `undefined` if it is the one that was given. */
  readonly source: string | undefined
}

const placeholder = { accessKeyId: 'x', secretAccessKey: 'x' }

/** Reads service and region of a base URL of AWS; `undefined` for any other. */
export async function readScope(baseUrl: string, region?: string): Promise<AwsScope | undefined> {
  const read = async (given?: string) => {
    const url = new URL(baseUrl)
    const auth = createAwsAuth({ region: given, credentials: placeholder })
    if (!auth.covers(url)) return undefined
    // The scheme says it in what it signs.
    const { headers } = await auth.authorize({
      method: 'GET',
      url,
      headers: new Headers(),
      body: undefined,
      attempt: 1,
      reason: 'initial',
    })
    const signed = [...headers].find(([name]) => name === 'authorization')?.[1] ?? ''
    const [, named = '', service = ''] =
      /Credential=\w+\/\d+\/([^/]+)\/([^/]+)\//.exec(signed) ?? []
    return { region: named, service }
  }
  if (!URL.canParse(baseUrl)) return undefined
  const [scope, other] = [await read(region), await read()]
  if (!scope) return undefined
  const isOfHost = scope.region === other?.region
  return { ...scope, source: isOfHost ? `the host ${new URL(baseUrl).host}` : undefined }
}

/** Returns the scheme for a base URL of AWS; `undefined` without a key. */
export function openAwsAuth(
  { key, region }: { readonly key: ConfiguredKey; readonly region: Found | undefined },
  place: SecretPlace<ApiKey> | undefined,
  { clock }: CommandContext,
): AuthScheme | undefined {
  if (!place) return undefined
  return createAwsAuth({
    region: region?.value,
    credentials: () => readUsableKey(place, key.accessKeyId, clock),
    clock,
  })
}
