import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** An import of a user, and the source file behind it. */
export interface EntryPoint {
  /** The name in the import, such as `@svc/auth-hooks/axios`. */
  readonly name: string
  readonly packageName: string
  readonly file: string
}

interface Solution {
  readonly references: readonly { readonly path: string }[]
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

/**
 * Returns every entry of every published package, as `exports` has them, so that none can be left out.
 * A package stands after those that it imports, as in the solution: an export of several packages is
 * documented in the first.
 */
export function findEntryPoints(root: string): EntryPoint[] {
  // Files of this repository, whose form tsc and publint see to.
  const { references } = readJson(join(root, 'tsconfig.json')) as Solution
  const folders = references
    .map(({ path }) => posix.normalize(path))
    .filter((path) => path.startsWith('packages/'))
  return folders.flatMap((folder) => {
    const { name, exports } = readJson(join(root, folder, 'package.json')) as Manifest
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === 'string' ? undefined : target['@svc/source']
      if (source === undefined) return []
      const file = join(root, folder, source)
      return [{ name: `${name}${subpath.slice(1)}`, packageName: name, file }]
    })
  })
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
