import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { pnpmCommand } from '../../scripts/release/pnpm.ts'
import { bun, deno, hasBun, hasDeno } from '../support/other-runtimes.ts'

/** A program with its arguments. */
export type Command = readonly [command: string, ...args: string[]]

/** A way to install packages by their names, in a home and with a cache of its own. */
export interface Installer {
  readonly name: string
  readonly isThere: boolean
  /** The command that adds packages to the project it is run in; others follow it. */
  readonly add: Command
  /** The command that takes the newest versions of our packages that the ranges of the project admit. */
  readonly update: Command
  /** The settings by which it asks our registry and nobody else. */
  settings(registry: string, home: string): Readonly<Record<string, string>>
  /** How it calls a package of the registry. */
  specifier(name: string): string
  /** The command that runs a file of the project. */
  readonly run: Command
  readonly files?: Readonly<Record<string, string>>
  /** Returns each copy of our packages that a project has, as its name and version. */
  copies(project: string): readonly string[]
}

const own = '@svc/*'
const plain = (name: string): string => name
const node: Command = [process.execPath]
// The package has no entry but its program.
const yarnProgram = createRequire(import.meta.url).resolve('@yarnpkg/cli-dist/bin/yarn.js')

/** npm, as Node brings it. */
export const npm: Installer = {
  name: 'npm',
  isThere: true,
  add: ['npm', 'install', '--no-audit', '--no-fund'],
  update: ['npm', 'update', '--no-audit', '--no-fund'],
  settings: (registry, home) => ({
    NPM_CONFIG_REGISTRY: registry,
    NPM_CONFIG_CACHE: join(home, 'cache'),
    HOME: home,
  }),
  specifier: plain,
  run: node,
  copies: copiesIn('node_modules/**/@svc/*/package.json'),
}

/** Bun, which also compiles a program. */
export const withBun: Installer = {
  name: 'Bun',
  isThere: hasBun(),
  // It asks nobody again for a package that it asked for in the last five minutes.
  add: [bun, 'add', '--no-cache'],
  update: [bun, 'update'],
  settings: (registry, home) => ({
    NPM_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(home, 'cache'),
    HOME: home,
  }),
  specifier: plain,
  run: [bun],
  copies: copiesIn('node_modules/**/@svc/*/package.json'),
}

/** Deno, which also compiles a program. */
export const withDeno: Installer = {
  name: 'Deno',
  isThere: hasDeno(),
  // It is wary of what was published today, and so is Yarn.
  add: [deno, 'add', '--minimum-dependency-age=0'],
  update: [deno, 'update', '--minimum-dependency-age=0'],
  settings: (registry, home) => ({
    NPM_CONFIG_REGISTRY: registry,
    DENO_DIR: join(home, 'cache'),
    HOME: home,
  }),
  specifier: (name) => `npm:${name}`,
  run: [deno, 'run', '--cached-only', '--allow-net', '--allow-env'],
  // Its folder may still have what it no longer links to.
  copies(project) {
    const lock: unknown = JSON.parse(readFileSync(join(project, 'deno.lock'), 'utf8'))
    return namesOf(lock, 'npm').map((key) => key.split('_')[0] ?? '')
  },
}

const pnpm: Installer = {
  name: 'pnpm',
  isThere: true,
  add: [...pnpmCommand, 'add'],
  update: [...pnpmCommand, 'update', '--depth=Infinity', own],
  // It is installed by npm, which has to find it: so it is told in its own words.
  settings: (registry, home) => ({
    PNPM_CONFIG_REGISTRY: registry,
    PNPM_CONFIG_STORE_DIR: join(home, 'store'),
    PNPM_CONFIG_CACHE_DIR: join(home, 'cache'),
    PNPM_CONFIG_MINIMUM_RELEASE_AGE: '0',
  }),
  specifier: plain,
  run: node,
  // As in Deno's.
  copies(project) {
    const lock: unknown = parse(readFileSync(join(project, 'pnpm-lock.yaml'), 'utf8'))
    return namesOf(lock, 'snapshots').map((key) => key.split('(')[0] ?? '')
  },
}

const yarn: Installer = {
  name: 'Yarn',
  isThere: true,
  add: [process.execPath, yarnProgram, 'add'],
  update: [process.execPath, yarnProgram, 'up', '--recursive', own],
  settings: (registry, home) => ({
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_NPM_MINIMAL_AGE_GATE: '0',
    YARN_NODE_LINKER: 'node-modules',
    YARN_ENABLE_TELEMETRY: '0',
    // In CI it would demand a lockfile.
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    HOME: home,
  }),
  specifier: plain,
  run: node,
  // Without one, it takes the folder for a part of a project above it.
  files: { 'yarn.lock': '' },
  copies: copiesIn('node_modules/**/@svc/*/package.json'),
}

/** Every installer; the first three are those that a short run tries. */
export const installers: readonly Installer[] = [npm, withBun, withDeno, pnpm, yarn]

function copiesIn(pattern: string): Installer['copies'] {
  return (project) =>
    globSync(pattern, { cwd: project })
      .map((path) => {
        // A manifest of one of our packages.
        const { name, version } = JSON.parse(readFileSync(join(project, path), 'utf8')) as {
          name: string
          version: string
        }
        return `${name}@${version}`
      })
      .sort()
}

/** Returns what a part of a lockfile says of our packages: their names and versions, and then their peers. */
function namesOf(lock: unknown, part: string): string[] {
  // Another form has nothing of ours, which no test expects.
  const parts = lock as Readonly<Record<string, object>>
  return Object.keys(parts[part] ?? {})
    .filter((key) => key.startsWith('@svc/'))
    .sort()
}
