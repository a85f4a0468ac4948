import { AuthError } from '@svc/auth-hooks'
import { createServiceClocks } from '../clock.ts'
import { type ApiKey, readApiKey } from '../credentials.ts'
import { readSharedConfig, type Section, type SharedConfig } from './outside/config-files.ts'
import { containerKey } from './sources/container.ts'
import { environmentKey } from './sources/environment.ts'
import { instanceKey } from './sources/instance-metadata.ts'
import { codeOf, Failure, type Outside } from './outside/outside.ts'
import { profileKey } from './sources/profile.ts'
import type { Sources } from './sources/sources.ts'
import { webIdentityKey } from './sources/sts.ts'

/** What the caller chose. */
export interface Choice {
  readonly profile?: string | undefined
  readonly region?: string | undefined
}

/** The chain of sources. */
export interface Chain {
  /**
   * Asks one source after the other.
   *
   * @throws AuthError `ERR_AUTH_CREDENTIALS` that lists what was tried.
   */
  findKey(): Promise<ApiKey>
  /**
   * Returns the region that was chosen, if any.
   *
   * @throws AuthError `ERR_AUTH_CREDENTIALS` if a shared file is broken.
   */
  findRegion(): Promise<string | undefined>
}

/** A source that gives a key, or the reason why it has none: the next one is asked then. */
type Source = readonly [name: string, find: () => Promise<ApiKey | string>]

/** Returns the sources in AWS's order. Each call of the chain reads the files anew, once. */
export function createChain(outside: Outside, choice: Choice): Chain {
  const clocks = createServiceClocks(outside.clock, () => {})
  const given = choice.profile ?? outside.variable('AWS_PROFILE')
  const name = given ?? 'default'

  const open = (): { sources: Sources; readConfig: () => Promise<SharedConfig> } => {
    let config: Promise<SharedConfig> | undefined
    const readConfig = (): Promise<SharedConfig> => (config ??= readSharedConfig(outside))
    const chosen = async (): Promise<Section | undefined> => (await readConfig()).profiles.get(name)
    const setting = async (key: string): Promise<string | undefined> =>
      outside.variable(`AWS_${key.toUpperCase()}`) ?? (await chosen())?.get(key)
    const regionFor = async (profile: Section | undefined): Promise<string> =>
      regionOf(outside, choice) ??
      profile?.get('region') ??
      (await chosen())?.get('region') ??
      'us-east-1'
    return { sources: { outside, clocks, setting, regionFor }, readConfig }
  }

  return {
    async findKey() {
      const { sources, readConfig } = open()
      const list: Source[] = [
        ['environment', async () => environmentKey(outside)],
        [
          `profile ${name}`,
          async () => {
            const found = await profileKey(sources, await readConfig(), name)
            // A profile that somebody chose is not replaced by the role of the machine.
            if (typeof found === 'string' && given !== undefined) throw new Failure(found)
            return found
          },
        ],
        ['web identity', () => environmentIdentity(sources)],
        ['container', () => containerKey(outside)],
        ['instance metadata', () => instanceKey(sources)],
      ]
      // A profile that the caller chose counts before the environment.
      return firstOf(choice.profile === undefined ? list : list.slice(1), outside.clock)
    },
    async findRegion() {
      try {
        return regionOf(outside, choice) ?? (await open().sources.setting('region'))
      } catch (error) {
        throw chainError(reasonOf(error))
      }
    },
  }
}

function regionOf({ variable }: Outside, { region }: Choice): string | undefined {
  return region ?? variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION')
}

/** Returns the key of the role that the environment names with the file of a token, as EKS does. */
async function environmentIdentity(sources: Sources): Promise<ApiKey | string> {
  const { variable } = sources.outside
  const tokenFile = variable('AWS_WEB_IDENTITY_TOKEN_FILE')
  if (tokenFile === undefined) return 'AWS_WEB_IDENTITY_TOKEN_FILE is not set'
  const role = variable('AWS_ROLE_ARN')
  if (role === undefined) throw new Failure('AWS_ROLE_ARN is not set')
  return webIdentityKey(sources, { tokenFile, role, session: undefined })
}

async function firstOf(list: readonly Source[], clock: () => number): Promise<ApiKey> {
  const tried: string[] = []
  let isSetUp = false
  for (const [name, find] of list) {
    try {
      const found = await find()
      if (typeof found !== 'string') return usable(found, clock())
      tried.push(`${name}: ${found}`)
    } catch (error) {
      tried.push(`${name}: ${reasonOf(error)}`)
      isSetUp = true
      break
    }
  }
  const problem = isSetUp ? 'a source is set up and gave no key' : 'no source gave a key'
  throw chainError([problem, ...tried].join('\n- '))
}

/** Nothing of other errors is shown, nor are they the cause: they may quote a secret. */
function reasonOf(error: unknown): string {
  return error instanceof Failure ? error.message : codeOf(error)
}

function chainError(problem: string): AuthError {
  return new AuthError('ERR_AUTH_CREDENTIALS', `[@svc/auth-sigv4] awsCredentials: ${problem}`)
}

function usable(found: ApiKey, now: number): ApiKey {
  const key = readApiKey(found)
  if (typeof key === 'string') throw new Failure(key)
  const { expiresAt = Infinity } = key
  if (expiresAt > now) return key
  const [end, here] = [expiresAt, now].map((at) => new Date(at).toISOString())
  throw new Failure(`its key expired at ${end}; it is ${here} here`)
}
