import { bundle } from './bundle.ts'
import { parseReport } from './parse-report.ts'
import type { Runtime } from './runtime.ts'

/** workerd as Miniflare runs it, without `nodejs_compat`. */
export function workerdRuntime(): Runtime {
  return {
    name: 'workerd',
    async version() {
      // Loaded here, so that a platform without workerd only skips it.
      const { supportedCompatibilityDate } = await import('miniflare')
      return supportedCompatibilityDate
    },
    async run({ service, control }) {
      const { Miniflare } = await import('miniflare')
      const hostAddresses = JSON.stringify({ service, control })
      const script = await bundle('./worker.ts', 'neutral', { hostAddresses })
      const miniflare = new Miniflare({
        modules: true,
        script,
        compatibilityDate: '2026-07-01',
        compatibilityFlags: [],
      })
      try {
        const response = await miniflare.dispatchFetch('http://localhost/')
        return parseReport(await response.text())
      } finally {
        await miniflare.dispose()
      }
    },
  }
}
