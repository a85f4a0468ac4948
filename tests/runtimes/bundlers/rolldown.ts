import { rolldown as open } from 'rolldown'
import type { Bundler } from './bundler.ts'

/** rolldown for the browser. */
export const rolldown: Bundler = {
  name: 'rolldown',
  async bundle(input) {
    const warnings: string[] = []
    const build = await open({
      input,
      platform: 'browser',
      onLog: (level, { message }) => {
        if (level === 'warn') warnings.push(message)
      },
    })
    const { output } = await build.generate({ format: 'esm', minify: true, codeSplitting: false })
    await build.close()
    return { code: output[0].code, warnings }
  },
}
