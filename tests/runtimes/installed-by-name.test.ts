import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { packPackages } from '../../scripts/release/pack-packages.ts'
import { pnpmCommand } from '../../scripts/release/pnpm.ts'
import {
  firstRequests,
  type FirstService,
  firstSnippet,
  startFirstService,
} from '../support/first-use.ts'
import { atNight } from '../support/nightly.ts'
import { bun, deno, hasBun, hasDeno } from '../support/other-runtimes.ts'
import {
  hasPackageRegistry,
  type PackageRegistry,
  startPackageRegistry,
} from '../support/registry.ts'
import { outputIn } from '../support/run-program.ts'

type Command = readonly [command: string, ...args: string[]]

/** A way to install a package by its name, in a home and with a cache of its own. */
interface Installer {
  readonly name: string
  readonly isThere: boolean
  /** The command that adds a package to the project it is run in. */
  readonly add: Command
  /** The settings by which it asks our registry and nobody else. */
  settings(registry: string, home: string): Readonly<Record<string, string>>
  /** The command that runs a file of the project. */
  readonly run: Command
  readonly files?: Readonly<Record<string, string>>
}

const own = '@svc/service-auth'
// The package has no entry but its program.
const yarnProgram = createRequire(import.meta.url).resolve('@yarnpkg/cli-dist/bin/yarn.js')
const node: Command = [process.execPath]
const installers: readonly Installer[] = [
  {
    name: 'npm',
    isThere: true,
    add: ['npm', 'install', own, '--no-audit', '--no-fund'],
    settings: (registry, home) => ({
      NPM_CONFIG_REGISTRY: registry,
      NPM_CONFIG_CACHE: join(home, 'cache'),
      HOME: home,
    }),
    run: node,
  },
  {
    name: 'Bun',
    isThere: hasBun(),
    add: [bun, 'add', own],
    settings: (registry, home) => ({
      NPM_CONFIG_REGISTRY: registry,
      BUN_INSTALL_CACHE_DIR: join(home, 'cache'),
      HOME: home,
    }),
    run: [bun],
  },
  {
    name: 'Deno',
    isThere: hasDeno(),
    // It is wary of what was published today, and so is Yarn.
    add: [deno, 'add', '--minimum-dependency-age=0', `npm:${own}`],
    settings: (registry, home) => ({
      NPM_CONFIG_REGISTRY: registry,
      DENO_DIR: join(home, 'cache'),
      HOME: home,
    }),
    run: [deno, 'run', '--cached-only', '--allow-net', '--allow-env'],
  },
  {
    name: 'pnpm',
    isThere: true,
    add: [...pnpmCommand, 'add', own],
    // It is installed by npm, which has to find it: so it is told in its own words.
    settings: (registry, home) => ({
      PNPM_CONFIG_REGISTRY: registry,
      PNPM_CONFIG_STORE_DIR: join(home, 'store'),
      PNPM_CONFIG_CACHE_DIR: join(home, 'cache'),
      PNPM_CONFIG_MINIMUM_RELEASE_AGE: '0',
    }),
    run: node,
  },
  {
    name: 'Yarn',
    isThere: true,
    add: [process.execPath, yarnProgram, 'add', own],
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
    run: node,
    // Without one, it takes the folder for a part of a project above it.
    files: { 'yarn.lock': '' },
  },
]

const hasRegistry = hasPackageRegistry()
let folder: string
let registry: PackageRegistry
let service: FirstService

beforeAll(async () => {
  if (!hasRegistry) return
  // Outside of the repository, so that nothing is found but what is installed.
  folder = await mkdtemp(join(tmpdir(), 'installed-by-name-'))
  registry = await startPackageRegistry(folder)
  for (const tarball of await packPackages(folder)) await registry.publish(tarball)
  service = await startFirstService()
}, 60_000)
afterAll(async () => {
  if (!hasRegistry) return
  await service.close()
  await registry.close()
  await rm(folder, { recursive: true })
})

const chosen = installers.slice(0, atNight(undefined, 3))
describe.skipIf(!hasRegistry).each(chosen)('installed by name with $name', (installer) => {
  const project = (): string => join(folder, installer.name, 'project')

  beforeAll(async () => {
    if (!installer.isThere) return
    const home = join(folder, installer.name, 'home')
    await mkdir(home, { recursive: true })
    await mkdir(project())
    const files = {
      'package.json': JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
      'snippet.mjs': firstSnippet(service),
      ...installer.files,
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(project(), file), text)
    await outputIn(project(), installer.add, installer.settings(registry.url, home))
  }, 120_000)

  test.skipIf(!installer.isThere)('the first snippet of the README runs', async () => {
    const home = join(folder, installer.name, 'home')
    const environment = { ...installer.settings(registry.url, home), ...service.environment }
    const printed = await outputIn(project(), [...installer.run, 'snippet.mjs'], environment)
    expect(printed).toBe('[]\n')
    expect(service.arrived()).toEqual(firstRequests)
  })

  test.runIf(installer.name === 'Bun' && installer.isThere)(
    'it runs as a program of one file, which needs nothing else',
    async () => {
      await outputIn(project(), [bun, 'build', '--compile', 'snippet.mjs', '--outfile', 'program'])
      expect(await runAlone('program')).toBe('[]\n')
      expect(service.arrived()).toEqual(firstRequests)
    },
  )

  // It downloads a part of itself that no registry has.
  const compilesDeno = installer.name === 'Deno' && installer.isThere
  test.runIf(compilesDeno && process.env['DENO_COMPILE'] === '1')(
    'it runs as a program of one file, as Deno compiles it',
    { timeout: 120_000 },
    async () => {
      const flags = ['--allow-net', '--allow-env', '--output', 'program']
      await outputIn(project(), [deno, 'compile', ...flags, 'snippet.mjs'])
      expect(await runAlone('program')).toBe('[]\n')
      expect(service.arrived()).toEqual(firstRequests)
    },
  )

  /** Runs a program of the project in an empty folder. */
  async function runAlone(file: string): Promise<string> {
    const alone = await mkdtemp(join(tmpdir(), 'alone-'))
    onTestFinished(() => rm(alone, { recursive: true }))
    await cp(join(project(), file), join(alone, file))
    expect(existsSync(join(alone, 'node_modules'))).toBe(false)
    return outputIn(alone, [join(alone, file)], service.environment)
  }
})
