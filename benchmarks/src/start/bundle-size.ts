import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type OutputChunk, rolldown } from 'rolldown'
import type { Imported } from './packages.ts'

/** The size of a package with everything that it needs: bundled, minified, compressed. */
export interface BundleSize {
  /** The platform that it is bundled for: Node, if it needs modules of Node. */
  readonly platform: 'browser' | 'node'
  readonly bytes: number
}

/** The weight of one file: the bytes that go with it and with the code that only it needs. */
export interface FileWeight {
  /** The package and the path, such as `auth-token/session/session.ts`. */
  readonly file: string
  readonly bytes: number
}

/** Bundles a package for a browser, or for Node if it needs modules of Node. */
export async function bundleSize(imported: Imported): Promise<BundleSize> {
  const inBrowser = await bundle(imported, 'browser')
  const platform = inBrowser.needsNode ? 'node' : 'browser'
  const { chunks } = inBrowser.needsNode ? await bundle(imported, 'node') : inBrowser
  return { platform, bytes: compressed(chunks) }
}

/** Weighs the files of our packages in a bundle, the heaviest first, without those that hold half of it. */
export async function fileWeights(imported: Imported): Promise<readonly FileWeight[]> {
  const { chunks } = await bundle(imported, 'browser', ['@svc/source'])
  const allBytes = compressed(chunks)
  const weights: FileWeight[] = []
  for (const path of chunks.flatMap(({ modules }) => Object.keys(modules))) {
    const file = /\/packages\/(.+)$/.exec(path)?.[1]?.replace('/src/', '/')
    if (file === undefined) continue
    const without = await bundle(imported, 'browser', ['@svc/source'], path)
    weights.push({ file, bytes: allBytes - compressed(without.chunks) })
  }
  return weights.filter(({ bytes }) => bytes < allBytes / 2).sort((a, b) => b.bytes - a.bytes)
}

async function bundle(
  { specifier, names }: Imported,
  platform: BundleSize['platform'],
  conditionNames: readonly string[] = [],
  leftOut?: string,
): Promise<{ chunks: readonly OutputChunk[]; needsNode: boolean }> {
  const entry = 'what-is-imported'
  let needsNode = false
  const build = await rolldown({
    input: entry,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    platform,
    resolve: { conditionNames: [...conditionNames, platform, 'import', 'default'] },
    // Modules that a browser does not have, and the file that is left out, are expected to be missing.
    logLevel: 'silent',
    shimMissingExports: true,
    plugins: [
      {
        name: entry,
        async resolveId(id, importer) {
          if (id === entry) return `${import.meta.dirname}/${entry}.js`
          if (!isBuiltin(id)) return null
          // Some packages name another module in its place, or none, for browsers.
          const resolved = await this.resolve(id, importer, { skipSelf: true })
          if (!resolved || resolved.external) needsNode = true
          return resolved
        },
        load(id) {
          if (id === leftOut) return ''
          return id.endsWith(`${entry}.js`)
            ? `export { ${names.join(', ')} } from '${specifier}'`
            : null
        },
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  return { chunks: output.filter((file) => file.type === 'chunk'), needsNode }
}

function compressed(chunks: readonly OutputChunk[]): number {
  return chunks.reduce((total, { code }) => total + gzipSync(code, { level: 9 }).byteLength, 0)
}
