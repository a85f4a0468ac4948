import { fileURLToPath } from 'node:url'
import type { ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The first test that fails is the last one of its mutant, so the shortest ones go first. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toReversed()
  }
}

/** The tests that run for every mutant that they reach: none of them starts a process or takes long. */
const config: ViteUserConfig = {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { conditions: ['@svc/source'] },
  ssr: { resolve: { conditions: ['@svc/source'] } },
  test: {
    include: [
      'packages/auth-sigv4/test/{canonical-request,engines,payload,scheme,streaming}/!(large-blobs|tampering|day-change|through-a-socket).test.ts',
      'packages/auth-sigv4/test/{presign,explain,doors}.test.ts',
      'packages/auth-sigv4/test/peers/s3-examples.test.ts',
      'packages/auth-sigv4/test/diagnose/!(error-xml-texts|hostile-responses).test.ts',
      'packages/auth-token/test/{session/{back-off,rejected-token,transitions},login/{response,token-lifetime}}.test.ts',
    ],
    isolate: false,
    sequence: { sequencer: ShortestFirst },
    testTimeout: 5000,
  },
}

export default config
