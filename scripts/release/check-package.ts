import { posix } from 'node:path'
import type { Manifest, PackedPackage } from './packed-package.ts'

const topLevel = new Set(['dist', 'README.md', 'LICENSE', 'package.json'])
const required = ['README.md', 'LICENSE']
const built = /^dist\/[\w.-]+?\.(?:d\.ts|js)$/
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
  // It is no part of a bundle or of a service worker, which know no `import()`.
  const isProgram = 'bin' in manifest && !('.' in Object(manifest['exports']))
  return [
    ...strays.map((path) => `${path} is outside of the package`),
    ...[...files.keys()].flatMap(checkPath),
    ...required.filter((path) => !files.has(path)).map((path) => `${path} is missing`),
    ...[...files].flatMap(([path, text]) => checkText(path, text, repository, isProgram)),
    ...checkRanges(manifest),
    ...['exports', 'imports', 'bin', 'main', 'types']
      .flatMap((field) => targetsOf(manifest[field]))
      .filter((target) => !files.has(posix.normalize(target)))
      .map((target) => `package.json names ${target}, which is not there`),
    ...['exports', 'imports']
      .filter((field) => JSON.stringify(manifest[field] ?? '').includes('@svc/source'))
      .map((field) => `${field} has @svc/source, whose files stay here`),
  ]
}

function checkPath(path: string): string[] {
  const [first = ''] = path.split('/')
  if (!topLevel.has(first)) return [`${path} does not belong into a package`]
  if (test.test(path)) return [`${path} is a test`]
  return first === 'dist' && !built.test(path) ? [`${path} is no output of the build`] : []
}

function checkText(path: string, text: string, repository: string, isProgram: boolean): string[] {
  if (text.includes(repository)) return [`${path} names a folder of this machine`]
  const isCode = path.startsWith('dist/') && path.endsWith('.js')
  if (isProgram || text.startsWith('#!')) return []
  return isCode && /(?<!\.)\bimport\(/.test(text) ? [`${path} has an import()`] : []
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
