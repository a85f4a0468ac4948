import { posix } from 'node:path'
import type { Manifest, PackedPackage } from './packed-package.ts'

const topLevel = new Set(['dist', 'src', 'README.md', 'LICENSE', 'CHANGELOG.md', 'package.json'])
const required = ['README.md', 'LICENSE']
const built = /^dist\/(.+?)\.(?:d\.ts|js)(?:\.map)?$/
const source = /^src\/.+\.ts$/
const test = /\.(?:test|test-d|spec)\.|(?:^|\/)(?:test|tests|__tests__|fixtures)\//
// These stand for a version only in this workspace.
const localProtocol = /^(?:workspace|catalog|file|link|portal):/
const dependencyFields = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
]

/** Returns a line for each fault of a package that is about to be published. */
export function checkPackage(packed: PackedPackage, repository: string): string[] {
  const { manifest, files, strays } = packed
  return [
    ...strays.map((path) => `${path} is outside of the package`),
    ...[...files.keys()].flatMap((path) => checkPath(path, files)),
    ...[...required, ...changelogOf(manifest)]
      .filter((path) => !files.has(path))
      .map((path) => `${path} is missing`),
    ...[...files].flatMap(([path, text]) => checkText(path, text, repository)),
    ...[...files]
      .filter(([path]) => path.endsWith('.map'))
      .flatMap(([path, text]) => checkSourceMap(path, text, files)),
    ...checkRanges(manifest),
    ...['exports', 'imports', 'bin', 'main', 'types']
      .flatMap((field) => targetsOf(manifest[field]))
      .filter((target) => !files.has(posix.normalize(target)))
      .map((target) => `package.json names ${target}, which is not there`),
  ]
}

/** Returns the changelog that a package has once it was versioned. */
function changelogOf({ version }: Manifest): string[] {
  return version === '0.0.0' ? [] : ['CHANGELOG.md']
}

function checkPath(path: string, files: PackedPackage['files']): string[] {
  const [first = ''] = path.split('/')
  if (!topLevel.has(first)) return [`${path} does not belong into a package`]
  if (test.test(path)) return [`${path} is a test`]
  if (first === 'src' && !source.test(path)) return [`${path} is no source`]
  if (first !== 'dist') return []
  const module = built.exec(path)?.[1]
  if (module === undefined) return [`${path} is no output of the compiler`]
  // The compiler leaves the output of a source that is gone.
  return files.has(`src/${module}.ts`) ? [] : [`${path} has no source`]
}

function checkText(path: string, text: string, repository: string): string[] {
  return text.includes(repository) ? [`${path} names a folder of this machine`] : []
}

function checkSourceMap(path: string, text: string, files: PackedPackage['files']): string[] {
  // The compiler wrote it.
  const { sources, sourceRoot } = JSON.parse(text) as { sources: string[]; sourceRoot?: string }
  return sources
    .map((entry) => posix.join(posix.dirname(path), sourceRoot ?? '', entry))
    .filter((entry) => !files.has(entry))
    .map((entry) => `${path} maps to ${entry}, which is not there`)
}

function checkRanges(manifest: Manifest): string[] {
  return dependencyFields.flatMap((field) =>
    Object.entries(manifest[field] ?? {})
      .filter(([, range]) => localProtocol.test(String(range)))
      .map(([name, range]) => `${field} has ${name} as ${String(range)}`),
  )
}

/** Returns every file that `exports`, `imports` and the like name, under whatever condition. */
function targetsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(targetsOf)
}
