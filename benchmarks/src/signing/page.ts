import { webCryptoEngine } from '@svc/auth-sigv4/webcrypto'
import { show } from '../../../tests/support/chromium/show.ts'
import type { TimingEffort } from '../measure/time-calls.ts'
import { signingCases } from './case.ts'
import { throughAuthFetch, throughLight } from './contenders/auth-fetch.ts'
import { throughAuthorize } from './contenders/authorize.ts'
import { byAws4Fetch } from './contenders/aws4fetch.ts'
import { webFloor } from './contenders/floor.web.ts'
import { type Contest, runContest } from './run-contest.ts'

// The bundler puts it there.
declare const jobParameters: TimingEffort

const engine = webCryptoEngine()
const contenders = [
  webFloor,
  throughAuthorize(engine),
  throughAuthFetch(engine),
  throughLight(engine),
  byAws4Fetch,
]
const contests: Contest[] = []
for (const given of signingCases) {
  // A page cannot ask for its CPU time.
  const now = (): number => performance.now() * 1e6
  contests.push(await runContest(given, contenders, jobParameters, now))
}
show(contests)
