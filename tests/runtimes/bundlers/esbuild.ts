import { build } from 'esbuild'
import type { Bundler } from './bundler.ts'

/** esbuild, as its documents show it for the browser. */
export const esbuild: Bundler = {
  name: 'esbuild',
  async bundle(entry) {
    const { outputFiles, warnings } = await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      minify: true,
      write: false,
      logLevel: 'silent',
    })
    const [output] = outputFiles
    return { code: output?.text ?? '', warnings: warnings.map(({ text }) => text) }
  },
}
