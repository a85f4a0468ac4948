import { dirname } from 'node:path'
import { build, createLogger } from 'vite'
import type { Bundler } from './bundler.ts'

/** Vite, building for production. */
export const vite: Bundler = {
  name: 'vite',
  async bundle(input) {
    const warnings: string[] = []
    const warn = (message: string): void => void warnings.push(message)
    const output = await build({
      root: dirname(input),
      configFile: false,
      logLevel: 'warn',
      customLogger: { ...createLogger('silent'), warn, warnOnce: warn, error: warn },
      build: { write: false, rolldownOptions: { input, output: { codeSplitting: false } } },
    })
    if (Array.isArray(output) || !('output' in output)) throw new Error('one output was expected')
    return { code: output.output[0].code, warnings }
  },
}
