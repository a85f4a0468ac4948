import { defineConfig, type ViteUserConfig } from 'vitest/config'

// Projects do not inherit `resolve.conditions`; without `@svc/source` a test would run the last build.
const config: ViteUserConfig = defineConfig({
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'] } },
  test: { include: ['test/**/*.test.ts'] },
})

export default config
