import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import open, { type Stats } from 'webpack'
import type { Bundler } from './bundler.ts'

/** webpack, building for production. */
export const webpack: Bundler = {
  name: 'webpack',
  async bundle(entry) {
    const path = join(dirname(entry), 'webpack')
    const stats = await new Promise<Stats>((resolve, reject) => {
      open(
        {
          mode: 'production',
          target: 'web',
          entry,
          output: { path, asyncChunks: false },
          // A page that imports every entry is larger than a page should be.
          performance: false,
        },
        (error, result) => {
          if (result) resolve(result)
          else reject(error ?? new Error('no result'))
        },
      )
    })
    const { warnings = [], errors = [] } = stats.toJson({ warnings: true, errors: true })
    return {
      code: await readFile(join(path, 'main.js'), 'utf8'),
      warnings: [...errors, ...warnings].map(({ message }) => message),
    }
  },
}
