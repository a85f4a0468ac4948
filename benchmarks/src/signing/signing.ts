// First of all: what comes after it finds that `fetch`.
// oxlint-disable-next-line import/no-unassigned-import -- it is there for what it does
import 'benchmarks/platform-fetch'
import { aws4Engine } from '@svc/auth-sigv4/aws4'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { signingCases } from './case.ts'
import { throughAuthFetch, throughPlatformFetch } from './contenders/auth-fetch.ts'
import { throughAuthorize } from './contenders/authorize.ts'
import { byAwsSigv4Fetch } from './contenders/aws-sigv4-fetch.ts'
import { byAws4 } from './contenders/aws4.ts'
import { byAws4Fetch, byAws4FetchUnsigned } from './contenders/aws4fetch.ts'
import { nodeFloor } from './contenders/floor.node.ts'
import { bySmithy } from './contenders/smithy.ts'
import { type Contest, runContest } from './run-contest.ts'
import { signingJob } from './signing-job.ts'

const contenders = [
  nodeFloor,
  throughAuthorize(nativeEngine()),
  throughAuthFetch(nativeEngine()),
  throughPlatformFetch(nativeEngine()),
  throughAuthorize(aws4Engine()),
  throughAuthorize(webCryptoEngine()),
  byAws4,
  bySmithy,
  byAws4Fetch,
  byAws4FetchUnsigned,
  byAwsSigv4Fetch,
]

await report(signingJob, async (effort) => {
  const contests: Contest[] = []
  for (const given of signingCases) {
    contests.push(await runContest(given, contenders, effort, cpuTimeNs))
  }
  return contests
})
