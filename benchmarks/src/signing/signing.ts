import { nativeEngine } from '@svc/auth-sigv4/native'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { signingCases } from './case.ts'
import { throughAuthFetch, throughLight } from './contenders/auth-fetch.ts'
import { throughAuthorize } from './contenders/authorize.ts'
import { byAwsSigv4Fetch } from './contenders/aws-sigv4-fetch.ts'
import { byAws4 } from './contenders/aws4.ts'
import { byAws4Fetch } from './contenders/aws4fetch.ts'
import { copyFloor, nodeFloor } from './contenders/floor.node.ts'
import { bySmithy } from './contenders/smithy.ts'
import { type Contest, runContest } from './run-contest.ts'
import { signingJob } from './signing-job.ts'

const engine = nativeEngine()
const contenders = [
  nodeFloor,
  copyFloor,
  throughAuthorize(engine),
  throughAuthFetch(engine),
  throughLight(engine),
  byAws4,
  bySmithy,
  byAws4Fetch,
  byAwsSigv4Fetch,
]

await report(signingJob, async (effort) => {
  const contests: Contest[] = []
  for (const given of signingCases) {
    contests.push(await runContest(given, contenders, effort, cpuTimeNs))
  }
  return contests
})
