import { defineConfig, type ViteUserConfig } from 'vitest/config'

// Projects do not inherit `resolve.conditions`; without `@svc/source` a test would run the last build.
const config: ViteUserConfig = defineConfig({
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'] } },
  // Real processes and key derivation take their time on a machine that is busy.
  test: { include: ['test/**/*.test.ts'], testTimeout: 30_000, hookTimeout: 30_000 },
})

export default config
