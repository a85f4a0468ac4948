import { readFileSync } from 'node:fs'
import { defineConfig, type UserConfig } from 'tsdown'

/** A target of a manifest, beside the source that it is built from. */
interface Target {
  readonly '@svc/source'?: string
  readonly default?: unknown
}

/** Returns the sources behind a field of a manifest, by the paths that their files have in `dist`. */
function findEntries(field: unknown): [path: string, source: string][] {
  if (typeof field !== 'object' || field === null) return []
  const { '@svc/source': source, default: file }: Target = field
  if (source === undefined) return Object.values(field).flatMap(findEntries)
  return typeof file === 'string' ? [[nameIn(file), source]] : []
}

/** Returns the name that a built file is called by. */
function nameIn(file: string): string {
  return file.replace(/^\.\/dist\/|\.js$/g, '')
}

// Runs in the folder of a package: what its manifest names becomes a file, what several of these need a shared one.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>
const doors = findEntries(manifest['exports'])
const programs = Object.values(manifest['bin'] ?? {}).map((file: string): [string, string] => [
  nameIn(file),
  `./src/${nameIn(file)}.ts`,
])
const entries = [...doors, ...findEntries(manifest['imports']), ...programs]

const peers = Object.keys(manifest['peerDependencies'] ?? {})

/** Returns `true` for code that every door may load: pages have nothing of Node's, and peers are optional. */
function runsAnywhere(file: string): boolean {
  if (file.endsWith('.d.ts')) return false
  const text = readFileSync(file, 'utf8')
  return !['node:', ...peers].some((name) => text.includes(`from '${name}`))
}

function isCommonType(file: string): boolean {
  return file.endsWith('.d.ts') && !file.includes('/oauth2/')
}

/**
 * Doors that share no file with the others, since a process loads one file faster than two: those beside them only
 * add to the first five, what the last one verifies with takes a tenth of the time that the whole emulator does, and
 * what is shown of signatures would put code of a diagnosis into the file that every signer loads.
 */
const aloneDoors = new Set([
  '@svc/auth-token/index',
  '@svc/auth-token/mcp',
  '@svc/auth-token/sign-in',
  '@svc/auth-sigv4/index',
  '@svc/auth-sigv4/default-engine.node',
  '@svc/auth-sigv4/inspect',
  '@svc/emulator/verify',
])

function standsAlone([path]: [path: string, source: string]): boolean {
  return aloneDoors.has(`${String(manifest['name'])}/${path}`)
}

const settings: UserConfig = {
  cwd: process.cwd(),
  platform: 'neutral',
  target: 'es2022',
  deps: { neverBundle: [/^@svc\//, /^#/, /^(?:node|cloudflare):/] },
  // It reads as it was written.
  sourcemap: false,
  fixedExtension: false,
  hash: false,
  outputOptions: {
    comments: { jsdoc: false },
    codeSplitting: {
      groups: [
        // Without what speaks of an optional peer, whose types are not there for everyone.
        { name: 'shared.d', test: isCommonType, minShareCount: 2, priority: 1 },
        { name: 'oauth2-types.d', test: /\.d\.ts$/, minShareCount: 2 },
        { name: 'shared', test: runsAnywhere, minShareCount: 2 },
      ],
    },
  },
}

const bundle = (bundled: typeof entries): UserConfig => ({
  ...settings,
  entry: Object.fromEntries(bundled),
  dts: false,
})
const alone = entries.filter(standsAlone)

/** A package without doors is a program: one file, and one for each part that it loads once a command asks for it. */
const isProgram = doors.length === 0
const types: UserConfig = {
  ...settings,
  // All doors speak of the same types.
  entry: Object.fromEntries(doors),
  // Every export has an explicit type, so that each file gives its own declarations.
  dts: { oxc: { stripInternal: true }, sourcemap: false, emitDtsOnly: true },
}

const program: UserConfig = { ...bundle(programs), outputOptions: { comments: { jsdoc: false } } }

export default defineConfig(
  isProgram
    ? program
    : [
        types,
        bundle(entries.filter((entry) => !alone.includes(entry))),
        ...alone.map((entry) => bundle([entry])),
      ],
)
