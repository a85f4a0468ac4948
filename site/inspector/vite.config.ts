import { build, defineConfig, type InlineConfig, type Plugin } from 'vite'

const conditions = ['@svc/source', 'module', 'browser', 'import', 'default']

/** Builds the worker into the script of the page, which starts it from a Blob. */
function workerCode(): Plugin {
  const name = 'virtual:worker-code'
  const entry = `${import.meta.dirname}/src/inspect/worker.ts`
  return {
    name: 'worker-code',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    async load(id) {
      if (id !== `\0${name}`) return undefined
      const settings: InlineConfig = {
        configFile: false,
        root: import.meta.dirname,
        logLevel: 'warn',
        resolve: { conditions },
        build: {
          write: false,
          target: 'es2023',
          lib: { entry, formats: ['iife'], name: 'inspector' },
        },
      }
      const results = await build(settings)
      const [result] = [results].flat()
      const [chunk] = result !== undefined && 'output' in result ? result.output : []
      if (chunk?.type !== 'chunk') throw new Error('the worker has no script')
      for (const file of chunk.moduleIds) this.addWatchFile(file)
      return `export const workerCode = ${JSON.stringify(chunk.code)}`
    },
  }
}

/** Lets the server of `dev` reload the page, which the policy of the page forbids. */
const policyForDevelopment: Plugin = {
  name: 'policy-for-development',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
}

export default defineConfig({
  root: import.meta.dirname,
  // The site has it below a path of its own.
  base: './',
  resolve: { conditions },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [workerCode(), policyForDevelopment],
  build: {
    target: 'es2023',
    // Its polyfill would fetch, and there is nothing to load ahead.
    modulePreload: false,
    // Everything is in files of the page's own origin.
    assetsInlineLimit: 0,
  },
})
