import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pnpmCommand } from '../../../scripts/release/pnpm.ts'

/**
 * A package manager, as a user calls it in an empty project on a machine that installed nothing
 * before: what a cache holds of a version would be taken for what was packed now.
 */
export interface PackageManager {
  readonly name: string
  /** The files that tell it where the packages of our scope are, by name. */
  settings(registry: string): Readonly<Record<string, string>>
  /** The command that installs what the package.json of a folder names. */
  install(folder: string): readonly [command: string, ...args: string[]]
  /** The command that runs an installed program. */
  program(folder: string, name: string): readonly [command: string, ...args: string[]]
  /** The hooks by which Node finds the packages, where they are not in `node_modules`. */
  hooks?(folder: string): string
}

// The package has no entry but its program.
const yarnProgram = createRequire(import.meta.url).resolve('@yarnpkg/cli-dist/bin/yarn.js')
const inModules = (folder: string, name: string): readonly [string] => [
  join(folder, 'node_modules/.bin', name),
]
const npmrc = (registry: string): string => `@svc:registry=${registry}\n`

const npm: PackageManager = {
  name: 'npm',
  settings: (registry) => ({ '.npmrc': npmrc(registry) }),
  install: (folder) => [
    'npm',
    'install',
    `--prefix=${folder}`,
    `--cache=${join(folder, 'cache')}`,
    '--no-audit',
    '--no-fund',
  ],
  program: inModules,
}

const pnpm: PackageManager = {
  name: 'pnpm',
  settings: (registry) => ({ '.npmrc': npmrc(registry) }),
  install: (folder) => [
    ...pnpmCommand,
    'install',
    `--dir=${folder}`,
    `--store-dir=${join(folder, 'store')}`,
    `--config.cache-dir=${join(folder, 'cache')}`,
    // In CI it would demand a lockfile.
    '--no-frozen-lockfile',
  ],
  program: inModules,
}

/** Yarn with one of its two ways to let Node find packages. */
function yarn(nodeLinker: 'node-modules' | 'pnp'): PackageManager {
  const call = (folder: string, ...args: string[]): readonly [string, ...string[]] => [
    process.execPath,
    yarnProgram,
    '--cwd',
    folder,
    ...args,
  ]
  return {
    name: `yarn, ${nodeLinker}`,
    settings: (registry) => ({
      // Without one, it takes the folder for a part of a project above it.
      'yarn.lock': '',
      '.yarnrc.yml': [
        `nodeLinker: ${nodeLinker}`,
        'globalFolder: cache',
        'enableTelemetry: false',
        // In CI it would demand a lockfile.
        'enableImmutableInstalls: false',
        `npmScopes: { svc: { npmRegistryServer: '${registry}' } }`,
        'unsafeHttpWhitelist: [127.0.0.1]',
      ].join('\n'),
    }),
    install: (folder) => call(folder, 'install'),
    program: (folder, name) => call(folder, 'run', name),
    ...(nodeLinker === 'pnp' && { hooks: pnpHooks }),
  }
}

const pnpHooks = (folder: string): string =>
  `--require ${folder}/.pnp.cjs --experimental-loader ${folder}/.pnp.loader.mjs`

/** Every package manager that users install with. */
export const packageManagers: readonly PackageManager[] = [
  npm,
  pnpm,
  yarn('node-modules'),
  yarn('pnp'),
]
