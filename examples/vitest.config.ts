import { mergeConfig } from 'vitest/config'
import shared from '../vitest.package.ts'

export default mergeConfig(shared, {
  // Next.js takes the packages as they are built.
  test: { globalSetup: '../runtime-tests/test/build-packages.ts' },
})
