import type { ApiKey } from '../../credentials.ts'
import type { Section, SharedConfig } from '../outside/config-files.ts'
import { containerKey } from './container.ts'
import { environmentKey } from './environment.ts'
import { instanceKey } from './instance-metadata.ts'
import { loginKey } from './login.ts'
import { Failure } from '../outside/outside.ts'
import { processKey } from './process.ts'
import { ssoKey } from './sso.ts'
import type { Sources } from './sources.ts'
import { assumeRole, webIdentityKey } from './sts.ts'

/**
 * Returns the key of a profile, or why it has none.
 *
 * @param visited - The profiles that name this one as their source.
 * @throws Failure if the profile is set up for a key and gives none.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
export async function profileKey(
  sources: Sources,
  config: SharedConfig,
  name: string,
  visited: readonly string[] = [],
): Promise<ApiKey | string> {
  const profile = config.profiles.get(name)
  if (!profile) {
    return ['neither the config file nor the credentials file has it', ...config.problems].join(
      '; ',
    )
  }
  const fixed = fixedKey(profile)
  if (fixed && visited.length > 0) return fixed
  const role = profile.get('role_arn')
  const tokenFile = profile.get('web_identity_token_file')
  if (tokenFile !== undefined) {
    if (role === undefined) throw new Failure('web_identity_token_file needs role_arn')
    const session = profile.get('role_session_name')
    return webIdentityKey(sources, { tokenFile, role, session }, profile)
  }
  if (role !== undefined) {
    const source = await sourceKey(sources, config, profile, visited)
    return assumeRole(sources, role, source, profile)
  }
  if (fixed) return fixed
  // A profile that another names as its source may name a source alone.
  if (visited.length > 0 && profile.has('credential_source')) return namedSource(sources, profile)
  const command = profile.get('credential_process')
  if (command !== undefined) return processKey(sources, command)
  const hasSso = [...profile.keys()].some((setting) => setting.startsWith('sso_'))
  if (hasSso) return ssoKey(sources, config, name, profile)
  const login = profile.get('login_session')
  if (login !== undefined) return loginKey(sources, name, login)
  return 'it has no key, and no source of one'
}

/** Returns the key that stands in a profile. */
function fixedKey(profile: Section): ApiKey | undefined {
  const accessKeyId = profile.get('aws_access_key_id')
  const secretAccessKey = profile.get('aws_secret_access_key')
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined
  if (accessKeyId === undefined) throw new Failure('aws_access_key_id is missing')
  if (secretAccessKey === undefined) throw new Failure('aws_secret_access_key is missing')
  return { accessKeyId, secretAccessKey, sessionToken: profile.get('aws_session_token') }
}

/** Returns the key that signs the request for a role. */
async function sourceKey(
  sources: Sources,
  config: SharedConfig,
  profile: Section,
  visited: readonly string[],
): Promise<ApiKey> {
  const source = profile.get('source_profile')
  if (source !== undefined && profile.has('credential_source')) {
    throw new Failure('it has both source_profile and credential_source')
  }
  if (source === undefined) return namedSource(sources, profile)
  if (visited.includes(source)) {
    throw new Failure(`its source_profile leads in a circle: ${[...visited, source].join(', ')}`)
  }
  const found = await profileKey(sources, config, source, [...visited, source])
  if (typeof found !== 'string') return found
  throw new Failure(`its source_profile ${source} gives no key: ${found}`)
}

const namedSources: Readonly<Record<string, (sources: Sources) => Promise<ApiKey | string>>> = {
  Environment: async ({ outside }) => environmentKey(outside),
  EcsContainer: ({ outside }) => containerKey(outside),
  Ec2InstanceMetadata: (sources) => instanceKey(sources),
}

async function namedSource(sources: Sources, profile: Section): Promise<ApiKey> {
  const name = profile.get('credential_source')
  if (name === undefined) throw new Failure('role_arn needs source_profile or credential_source')
  const names = Object.keys(namedSources)
  const source = names.includes(name) && namedSources[name]
  if (!source) throw new Failure(`credential_source must be one of ${names.join(', ')}`)
  const found = await source(sources)
  if (typeof found !== 'string') return found
  throw new Failure(`its credential_source ${name} gives no key: ${found}`)
}
