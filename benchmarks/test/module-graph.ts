import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** The modules that an entry loads before it runs, itself included. */
export interface StaticImports {
  /** The package and the path, such as `auth-hooks/kernel/exchange.ts`. */
  readonly files: readonly string[]
  /** Modules of Node. */
  readonly builtins: readonly string[]
}

/** Follows the static imports of a package's main entry, as a runtime with these conditions resolves them. */
export async function staticImports(
  specifier: string,
  conditions: readonly string[],
): Promise<StaticImports> {
  const importedBy = new Map<string, readonly string[]>()
  let entry = ''
  const build = await rolldown({
    input: specifier,
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    platform: 'neutral',
    external: isBuiltin,
    resolve: { conditionNames: ['@svc/source', 'import', ...conditions] },
    plugins: [
      {
        name: 'graph',
        buildEnd() {
          for (const id of this.getModuleIds()) {
            const found = this.getModuleInfo(id)
            if (!found) continue
            if (found.isEntry) entry = id
            importedBy.set(id, found.importedIds)
          }
        },
      },
    ],
  })
  await build.generate()
  await build.close()

  const found = new Set<string>()
  const follow = (id: string): void => {
    if (found.has(id)) return
    found.add(id)
    for (const imported of importedBy.get(id) ?? []) follow(imported)
  }
  follow(entry)
  const ids = [...found]
  return {
    files: ids
      .filter((id) => !isBuiltin(id))
      .map((id) => shortName(id))
      .sort(),
    builtins: ids.filter((id) => isBuiltin(id)).sort(),
  }
}

function shortName(id: string): string {
  return id.replaceAll('\\', '/').replace(/^.*\/packages\/([^/]+)\/src\//, '$1/')
}
