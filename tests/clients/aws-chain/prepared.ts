import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Configuration } from './configurations/configuration.ts'
import type { Stubs } from './stubs.ts'

/** A configuration in a folder of its own. */
export interface Prepared {
  readonly home: string
  readonly variables: Readonly<Record<string, string>>
  readonly profile: string | undefined
}

/** A key that was found, or why none was. */
export interface Found {
  readonly accessKeyId?: string | undefined
  readonly secretAccessKey?: string | undefined
  readonly sessionToken?: string | undefined
  readonly error?: string
}

// The key pair of a login; no secret, it was made for these tests.
const dpopKey = (pem: string): object => ({
  clientId: 'client',
  refreshToken: 'refresh',
  dpopKey: pem,
  tokenType: 'aws_sigv4',
})

const at = (ms: number): string => new Date(Date.now() + ms).toISOString().replace(/\.\d+/, '')
const hourMs = 3_600_000

/** Returns the cached files that configurations name. */
function cachedFiles(pem: string): Readonly<Record<string, object>> {
  const token = (accessToken: string, ms: number, more: object = {}) => ({
    startUrl: 'https://x.awsapps.com/start',
    region: 'eu-west-1',
    accessToken,
    expiresAt: at(ms),
    ...more,
  })
  const client = {
    clientId: 'client',
    clientSecret: 'client-secret',
    registrationExpiresAt: at(100 * hourMs),
  }
  const login = (ms: number) => ({
    accessToken: {
      accessKeyId: 'login',
      secretAccessKey: 'secret-of-login',
      sessionToken: 'token-of-login',
      accountId: '000000000000',
      expiresAt: at(ms),
    },
    ...dpopKey(pem),
  })
  return {
    valid: token('valid', hourMs),
    over: token('over', -hourMs),
    revoked: token('revoked', hourMs),
    renewable: token('old', -hourMs, { ...client, refreshToken: 'refresh' }),
    spent: token('spent', -hourMs, { ...client, refreshToken: 'spent' }),
    ending: token('ending', 120_000, { ...client, refreshToken: 'spent' }),
    login: login(600_000),
    'login-over': login(-hourMs),
    'login-spent': { ...login(-hourMs), refreshToken: 'spent' },
  }
}

/** Writes the files of a configuration below a folder. */
export function prepare(
  { config, credentials, files = {}, variables = {}, profile }: Configuration,
  home: string,
  origins: Stubs['origins'],
  pem: string,
): Prepared {
  const cached = cachedFiles(pem)
  // The SDK remembers for a while, by the name of a session, that it has tried to renew its token.
  const session = `sso-${createHash('sha1').update(home).digest('hex').slice(0, 8)}`
  const fill = (text: string): string =>
    text
      .replaceAll('{home}', home)
      .replace(/\{(origin|imds[\w-]*)\}/g, (_all, name: keyof Stubs['origins']) => origins[name])
      .replaceAll('my-sso', session)
      .replace(/\{(sha\w+):(.+?)\}/g, (_all, algorithm: string, hashed: string) =>
        createHash(algorithm).update(hashed).digest('hex'),
      )
      .replace(/^\{([\w-]+)\}$/, (_all, name: string) => JSON.stringify(cached[name]))
  const all = {
    ...(config !== undefined && { '.aws/config': config }),
    ...(credentials !== undefined && { '.aws/credentials': credentials }),
    ...files,
  }
  mkdirSync(home, { recursive: true })
  for (const [name, text] of Object.entries(all)) {
    const path = join(home, fill(name))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, fill(text))
    if (text.startsWith('#!')) chmodSync(path, 0o755)
  }
  const given = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    AWS_REGION: 'eu-central-1',
    AWS_DEFAULT_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: origins.origin,
    AWS_STS_REGIONAL_ENDPOINTS: 'regional',
    AWS_EC2_METADATA_DISABLED: 'true',
    ...variables,
  }
  const set = Object.entries(given).filter(([, value]) => value !== '{none}')
  return {
    home,
    profile,
    variables: Object.fromEntries(set.map(([name, value]) => [name, fill(value)])),
  }
}
