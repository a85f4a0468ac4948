import { Session } from 'node:inspector/promises'
import { nativeEngine } from '@svc/auth-sigv4/native'
import { report } from '../jobs/report.ts'
import { signingCases } from '../signing/case.ts'
import { throughAuthFetch } from '../signing/contenders/auth-fetch.ts'
import { profileJob, type RequestProfile } from './profile-job.ts'
import { sharesByFile } from './shares-by-file.ts'

const samplingIntervalUs = 100

await report(profileJob, async ({ durationMs }) => {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: samplingIntervalUs })
  const profiles: RequestProfile[] = []
  for (const given of signingCases.slice(0, 2)) {
    const { sign } = await throughAuthFetch(nativeEngine()).prepare(given)
    // Not sampled: the calls until it is compiled.
    await repeat(sign, durationMs / 4)
    await session.post('Profiler.start')
    await repeat(sign, durationMs)
    const { profile } = await session.post('Profiler.stop')
    profiles.push({ request: given.name, shares: sharesByFile(profile) })
  }
  session.disconnect()
  return profiles
})

async function repeat(call: () => unknown, durationMs: number): Promise<void> {
  const end = performance.now() + durationMs
  while (performance.now() < end) {
    for (let count = 0; count < 1000; count += 1) await call()
  }
}
