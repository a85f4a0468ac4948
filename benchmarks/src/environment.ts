import { readFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'

/** The machine, the date and the versions of a run. */
export interface Environment {
  readonly date: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  /** Processes that wanted to run before the run began, on average over a minute. */
  readonly loadBefore: number
  /** The versions of the packages that were measured, without ours. */
  readonly versions: Readonly<Record<string, string>>
}

/** Reads the machine and the installed versions. */
export async function readEnvironment(): Promise<Environment> {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release()} ${arch()}`,
    loadBefore: loadavg()[0] ?? Number.NaN,
    versions: await installedVersions(),
  }
}

const peers = [
  '@azure/core-rest-pipeline',
  '@badgateway/oauth2-client',
  '@smithy/signature-v4',
  'aws-sigv4-fetch',
  'aws4',
  'aws4-axios',
  'aws4fetch',
  'axios',
  'axios-auth-refresh',
  'google-auth-library',
  'got',
  'ky',
  'mitata',
  'openid-client',
  'rolldown',
  'simple-oauth2',
  'undici',
]

async function installedVersions(): Promise<Record<string, string>> {
  const pairs = await Promise.all(
    peers.map(async (name) => {
      const path = new URL(`../node_modules/${name}/package.json`, import.meta.url)
      // Every package of the registry has a version.
      const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string }
      return [name, version] as const
    }),
  )
  return Object.fromEntries(pairs)
}
