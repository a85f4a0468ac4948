import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmulator, defaultUsers } from '@svc/emulator'
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

/** A project that has the package, and the settings of its installer. */
interface Project {
  readonly path: string
  readonly settings: Readonly<Record<string, string>>
}

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
const withNpm: Installer = {
  name: 'npm',
  isThere: true,
  add: ['npm', 'install', own, '--no-audit', '--no-fund'],
  settings: (registry, home) => ({
    NPM_CONFIG_REGISTRY: registry,
    NPM_CONFIG_CACHE: join(home, 'cache'),
    HOME: home,
  }),
  run: node,
}
const withBun: Installer = {
  name: 'Bun',
  isThere: hasBun(),
  add: [bun, 'add', own],
  settings: (registry, home) => ({
    NPM_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(home, 'cache'),
    HOME: home,
  }),
  run: [bun],
}
const withDeno: Installer = {
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
}
const withPnpm: Installer = {
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
}
const withYarn: Installer = {
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
}
// The first three are what a short run tries.
const installers = [withNpm, withBun, withDeno, withPnpm, withYarn]

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

/** Makes a project in a folder of its own, and adds the package to it. */
async function install(installer: Installer, name: string): Promise<Project> {
  const [home, path] = [join(folder, name, 'home'), join(folder, name, 'project')]
  await mkdir(home, { recursive: true })
  await mkdir(path)
  const files = {
    'package.json': JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
    'snippet.mjs': firstSnippet(service),
    ...installer.files,
  }
  for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text)
  const settings = installer.settings(registry.url, home)
  await outputIn(path, installer.add, settings)
  return { path, settings }
}

/** Runs a program in a folder where nothing else is. */
async function runAlone(program: string): Promise<string> {
  const alone = await mkdtemp(join(tmpdir(), 'alone-'))
  onTestFinished(() => rm(alone, { recursive: true }))
  await cp(program, join(alone, 'program'))
  return outputIn(alone, [join(alone, 'program')], service.environment)
}

describe.skipIf(!hasRegistry)('installed by name', () => {
  const chosen = installers.slice(0, atNight(undefined, 3))
  test.each(chosen.filter(({ isThere }) => isThere))(
    'with $name, the first snippet of the README runs',
    { timeout: 120_000 },
    async (installer) => {
      const { path, settings } = await install(installer, installer.name)
      const environment = { ...settings, ...service.environment }
      const printed = await outputIn(path, [...installer.run, 'snippet.mjs'], environment)
      expect(printed).toBe('[]\n')
      expect(service.arrived()).toEqual(firstRequests)
    },
  )
})

describe.skipIf(!hasRegistry)('the command', () => {
  test(
    'npx runs it by its name, without the keyring, which is optional',
    { timeout: 60_000 },
    async () => {
      for (const name of ['cli', 'emulator']) {
        const manifest = join(import.meta.dirname, `../../packages/${name}/package.json`)
        await registry.publishDependencies(manifest)
      }
      const emulator = await createEmulator().listen()
      onTestFinished(() => emulator.close())
      const home = join(folder, 'npx')
      await mkdir(home)
      const [{ username, password }] = defaultUsers
      const environment = {
        ...withNpm.settings(registry.url, home),
        SVC_AUTH_BASE_URL: emulator.baseUrl,
        SVC_AUTH_USERNAME: username,
        SVC_AUTH_PASSWORD: password,
      }
      const svcAuth: Command = ['npx', '--yes', '@svc/cli']
      const groups = await outputIn(home, [...svcAuth, 'fetch', '/user/groups'], environment)
      expect(JSON.parse(groups)).toEqual(defaultUsers[0].groups)
      expect(await outputIn(home, [...svcAuth, '--version'], environment)).toBe('0.0.0\n')
    },
  )
})

describe.skipIf(!hasRegistry || !withBun.isThere)('compiled by Bun', () => {
  test('the first snippet of the README is a program that runs alone', async () => {
    const { path } = await install(withBun, 'compiled-by-bun')
    await outputIn(path, [bun, 'build', '--compile', 'snippet.mjs', '--outfile', 'program'])
    expect(await runAlone(join(path, 'program'))).toBe('[]\n')
    expect(service.arrived()).toEqual(firstRequests)
  })
})

describe.skipIf(!hasRegistry || !withDeno.isThere)('compiled by Deno', () => {
  const flags = ['--allow-net', '--allow-env', '--output', 'program']
  const compile: Command = [deno, 'compile', ...flags, 'snippet.mjs']

  test('the first snippet of the README is a program that holds everything', async () => {
    const { path, settings } = await install(withDeno, 'compiled-by-deno')
    // Another program stands in for the part of Deno that no registry has, so this one is not run.
    await outputIn(path, compile, { ...settings, DENORT_BIN: '/bin/true' })
    const program = await readFile(join(path, 'program'), 'latin1')
    const marks = ["process.env['SVC_PASSWORD']", '/user/login', 'AWS4-HMAC-SHA256']
    expect(marks.filter((mark) => !program.includes(mark))).toEqual([])
  })

  // It downloads that part.
  test.runIf(process.env['DENO_COMPILE'] === '1')(
    'it runs alone',
    async () => {
      const { path } = await install(withDeno, 'compiled-by-deno-alone')
      await outputIn(path, compile)
      expect(await runAlone(join(path, 'program'))).toBe('[]\n')
      expect(service.arrived()).toEqual(firstRequests)
    },
    120_000,
  )
})
