import { isBuiltin } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { compressedBytes, measureSize } from '../../../scripts/size/measure-size.ts'
import type { Application } from './packages.ts'

/** The weight of one file: the bytes that go with it and with the code that only it needs. */
export interface FileWeight {
  /** The package and the path, such as `auth-token/session/session.ts`. */
  readonly file: string
  readonly bytes: number
}

/** Returns the bytes that an application adds to its bundle, as the size gate measures them. */
export function bundleSize({ imports, without, platform }: Application): Promise<number> {
  return measureSize({
    imports,
    ...(without && { without }),
    platform: platform === 'any' ? 'neutral' : platform,
    workspace: 'benchmarks',
  })
}

/** Weighs the files of our packages in a bundle, the heaviest first, without those that hold half of it. */
export async function fileWeights(application: Application): Promise<readonly FileWeight[]> {
  const { bytes: allBytes, files } = await bundle(application)
  const weights: FileWeight[] = []
  for (const path of files) {
    const file = /\/packages\/(.+)$/.exec(path)?.[1]?.replace('/src/', '/')
    if (file === undefined) continue
    weights.push({ file, bytes: allBytes - (await bundle(application, path)).bytes })
  }
  return weights.filter(({ bytes }) => bytes < allBytes / 2).sort((a, b) => b.bytes - a.bytes)
}

async function bundle(
  { imports }: Application,
  leftOut?: string,
): Promise<{ bytes: number; files: readonly string[] }> {
  const entry = fileURLToPath(new URL('../../application.js', import.meta.url))
  const build = await rolldown({
    input: entry,
    platform: 'neutral',
    external: isBuiltin,
    resolve: { conditionNames: ['@svc/source', 'import', 'default'] },
    // The file that is left out is expected to be missing.
    logLevel: 'silent',
    shimMissingExports: true,
    plugins: [
      {
        name: 'application',
        resolveId: (id) => (id === entry ? id : null),
        load(id) {
          if (id === leftOut) return ''
          if (id !== entry) return null
          return Object.entries(imports)
            .map(([specifier, names]) => `export { ${names.join(', ')} } from '${specifier}'`)
            .join('\n')
        },
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
  await build.close()
  const [{ code, modules }] = output
  return { bytes: compressedBytes(code), files: Object.keys(modules) }
}
