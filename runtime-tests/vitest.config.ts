import { mergeConfig } from 'vitest/config'
import shared from '../vitest.package.ts'

export default mergeConfig(shared, {
  // Each of these is a compiler or a browser of its own.
  test: { globalSetup: './test/build-packages.ts', maxConcurrency: 2 },
})
