import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

// Within this package, so that imports that are not bundled resolve from there; not below node_modules,
// where Deno takes a module for a part of a package.
const folder = fileURLToPath(new URL('../../dist', import.meta.url))

/**
 * Bundles the files of a job into one module that every runtime accepts. The packages that it measures
 * are not part of it: they run as they are published.
 *
 * @returns The path of the module.
 */
export async function bundleForNode(entry: string): Promise<string> {
  const isPackage = (id: string): boolean => /^(?:@?[a-z]|node:)/.test(id)
  const build = await rolldown({ input: path(entry), platform: 'node', external: isPackage })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const file = join(folder, basename(entry, '.ts') + '.mjs')
  await mkdir(folder, { recursive: true })
  await writeFile(file, output[0].code)
  return file
}

/** Bundles a job and the packages that it measures into one script for a browser. */
export async function bundleForBrowser(
  entry: string,
  define: Readonly<Record<string, string>>,
): Promise<string> {
  const build = await rolldown({
    input: path(entry),
    platform: 'browser',
    transform: { define: { ...define } },
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

function path(entry: string): string {
  return fileURLToPath(new URL(entry, import.meta.url))
}
