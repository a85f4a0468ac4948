import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packPackages } from '../../scripts/release/pack-packages.ts'
import { hasProgram } from '../support/needs.ts'
import { atNight } from '../support/nightly.ts'
import { run } from '../support/run-program.ts'
import { entries } from './entries.ts'
import { packageManagers } from './installed/package-manager.ts'
import { type PackageRegistry, startPackageRegistry } from './installed/package-registry.ts'

const own = import.meta.dirname
const hasRegistry = hasProgram(
  'the registry of npm',
  ['npm', 'view', 'valibot', 'version'],
  'a connection',
)
// Both ends of what can `require` a module: it came with 20.19.
const node20 = join(own, '../node_modules/node20/bin/node')
const nodes = [
  ...(hasProgram('Node 20', [node20, '--version'], 'an install on Linux with x64')
    ? [{ version: 20, node: node20 }]
    : []),
  { version: Number.parseInt(process.versions.node), node: process.execPath },
]
const ways = [
  { way: 'import', script: 'import.mjs' },
  { way: 'require in CommonJS', script: 'require.cjs' },
  { way: 'import() in CommonJS', script: 'import.cjs' },
]
const names = entries.filter(({ runsOn }) => runsOn !== 'peer').map(({ name }) => name)
// Peers that an entry imports by itself; every other client is given to its adapter.
const peers = {
  '@opentelemetry/api': '^1.3.0',
  '@noble/hashes': '^2.0.0',
  aws4: '^1.13.0',
  axios: '^1.7.0',
  oauth4webapi: '^3.0.0',
  valibot: '^1.0.0',
}

let folder: string
let registry: PackageRegistry
let built: Record<string, Entry>

beforeAll(async () => {
  if (!hasRegistry) return
  // Outside of the repository, so that nothing is found but what is installed.
  folder = await mkdtemp(join(tmpdir(), 'installed-tarballs-'))
  registry = await startPackageRegistry(await packPackages(folder))
  built = (await consume(process.execPath, join(own, 'installed/project/import.mjs'))).entries
})
afterAll(async () => {
  if (!hasRegistry) return
  await registry.close()
  await rm(folder, { recursive: true })
})

const managers = packageManagers.slice(0, atNight(undefined, 1))
describe.skipIf(!hasRegistry).each(managers)('installed with $name', (manager) => {
  let project: string

  beforeAll(async () => {
    project = join(folder, manager.name.replaceAll(/\W+/g, '-'))
    await mkdir(project)
    await cp(join(own, 'installed/project'), project, { recursive: true })
    const dependencies = { ...registry.versions, ...peers }
    const files = {
      'package.json': JSON.stringify({ name: 'consumer', private: true, dependencies }),
      ...manager.settings(registry.url),
    }
    for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text)
    await outputOf(manager.install(project))
  })

  const all = nodes
    .flatMap(({ version, node }) => ways.map(({ way, script }) => ({ version, node, way, script })))
    // Node 20 asks no hook for what a module imports that was required.
    .filter(({ version, script }) => !(manager.hooks && version === 20 && script === 'require.cjs'))

  // By day the newest way in the oldest Node, and the other way around.
  const uses = atNight(
    all,
    all.filter(({ version, way }) =>
      version === 20 ? way === 'import' : way.startsWith('require'),
    ),
  )

  test.each(uses)(
    'Node $version loads every entry by $way, and talks to the emulator',
    async ({ node, script }) => {
      const hooks = manager.hooks?.(project) ?? ''
      const result = await consume(node, join(project, script), { NODE_OPTIONS: hooks })
      expect(Object.keys(result.entries)).toEqual(names)
      for (const [name, entry] of Object.entries(result.entries)) {
        expect(entry).toEqual({ ...built[name], file: entry.file })
        expect(entry.file).toMatch(/\/@svc\/[\w-]+\/dist\/[\w/-]+\.js$/)
      }
      expect(result.responses).toEqual({ logins: 1, statuses: [200, 200, 200], read: 'a;b;c' })
    },
  )

  test('svc-emulator can be called', async () => {
    const stdout = await outputOf([...manager.program(project, 'svc-emulator'), '--help'])
    expect(stdout).toContain('svc-emulator')
  })
})

/** The output of the scripts of a project: what came of their requests, and the entries they loaded. */
interface Consumed {
  readonly entries: Readonly<Record<string, Entry>>
  readonly responses: unknown
}

interface Entry {
  readonly file: string
  readonly exported: readonly string[]
  /** Of all that was built of the package. */
  readonly digest: string
}

/** Lets a script load and use every entry. */
async function consume(
  node: string,
  script: string,
  environment?: Readonly<Record<string, string>>,
): Promise<Consumed> {
  // Written by the scripts of this very package.
  return JSON.parse(await outputOf([node, script, ...names], environment)) as Consumed
}

/**
 * Returns the output of a command.
 *
 * @throws {Error} where it fails, with all that it printed.
 */
async function outputOf(
  [command, ...args]: readonly [command: string, ...args: string[]],
  environment?: Readonly<Record<string, string>>,
): Promise<string> {
  const { status, stdout, stderr } = await run(command, args, '', environment)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`)
  return stdout
}
