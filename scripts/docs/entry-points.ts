import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** What a user imports, and the file of the sources that it stands for. */
export interface EntryPoint {
  /** As it stands in an import, such as `@svc/auth-hooks/axios`. */
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
 * Every entry of every published package, as `exports` has them, so that none can be left out. In the
 * order of the solution, where a package stands after those that it imports: what several packages
 * export is documented in the first.
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
