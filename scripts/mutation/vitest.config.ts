import type { ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import shared from '../../vitest.package.ts'

/** The first test that fails is the last one of its mutant, so the shortest ones go first. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toReversed()
  }
}

/** The tests that run for every mutant that they reach: none of them starts a process or takes long. */
const config: ViteUserConfig = {
  ...shared,
  test: {
    include: [
      'packages/auth-sigv4/test/{authorize,canonical-*,chunk-examples,clock-skew,crc32c,credentials}.test.ts',
      'packages/auth-sigv4/test/{end-to-end,engines,hmac-key,no-secret-shows,options,payload-hash}.test.ts',
      'packages/auth-sigv4/test/{percent-encoding,presign,s3-examples,sort,stream-length,streaming,streaming-faults}.test.ts',
      'packages/auth-sigv4/test/diagnose/!(error-xml-texts|hostile-answers).test.ts',
      'packages/auth-token/test/{back-off,login-answer,rejected-token,session-state,token-lifetime}.test.ts',
    ],
    isolate: false,
    sequence: { sequencer: ShortestFirst },
    testTimeout: 5000,
  },
}

export default config
