import { join } from 'node:path'
import { gzip } from 'pako'
import { rolldown } from 'rolldown'
import { repository } from '../release/repository.ts'

/** Names that an application imports, by the entry that exports them. */
export type ImportedNames = Readonly<Record<string, readonly string[]>>

/** An application of which only the imports count. */
export interface MeasuredApplication {
  readonly imports: ImportedNames
  /** Packages that do not count. */
  readonly without?: readonly string[]
  /**
   * The platform that it is bundled for: pages, by the condition `browser`, Node, or no one in particular.
   *
   * @default `'neutral'`
   */
  readonly platform?: 'browser' | 'neutral' | 'node'
  /**
   * The workspace that has these packages.
   *
   * @default `'tests'`
   */
  readonly workspace?: string
}

/** Returns the bytes that an application adds to its bundle, minified and compressed. */
export async function measureSize({
  imports,
  without = [],
  platform = 'neutral',
  workspace = 'tests',
}: MeasuredApplication): Promise<number> {
  // Never written: a package is looked up from here.
  const application = join(repository, workspace, 'application.js')
  const build = await rolldown({
    input: application,
    platform,
    external: [...without],
    plugins: [
      {
        name: 'application',
        resolveId: (id) => (id === application ? id : null),
        load: (id) => (id === application ? textOf(imports) : null),
      },
    ],
    onLog: (_level, { message }) => {
      // Otherwise a module that is not found would just not be counted.
      throw new Error(message)
    },
  })
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    comments: { annotation: false },
    codeSplitting: false,
  })
  await build.close()
  return compressedBytes(output[0].code)
}

/**
 * Returns the size of a text after `gzip -9`. pako is zlib in JavaScript, so the bytes are the same on
 * every machine. Those of Node's own zlib are not: it chooses by the instructions of the processor.
 */
export function compressedBytes(text: string): number {
  return gzip(text, { level: 9 }).byteLength
}

function textOf(imports: ImportedNames): string {
  return Object.entries(imports)
    .map(([entry, names]) => `export { ${names.join(', ')} } from '${entry}'\n`)
    .join('')
}
