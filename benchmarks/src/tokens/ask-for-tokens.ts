import { setTimeout as sleep } from 'node:timers/promises'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { timeCalls } from '../measure/time-calls.ts'
import { tokenFloor } from './floor.ts'
import { ourAuthorize, ourGetToken } from './ours.ts'
import { tokenPeers } from './peers.ts'
import type { TokenContender } from './token-contender.ts'
import { coldCallers, tokensJob } from './tokens-job.ts'

const ours = [ourGetToken, ourAuthorize]
const contenders = [...ours, ...tokenPeers, tokenFloor]

await report(tokensJob, async (effort) => {
  // Nobody pays for the compiler because it happens to be the first.
  for (const contender of contenders) await callCold(contender)
  const cold: { logins: number; elapsedMs: number }[] = []
  for (const contender of contenders) cold.push(await callCold(contender))

  const sessions = contenders.map(({ open }) => open(async () => 'not-a-secret-token'))
  const cached = await timeCalls(
    sessions.map(({ token }) => token),
    effort,
    cpuTimeNs,
  )
  const senders = sessions.flatMap(({ send }) => (send ? [send] : []))
  const sent = await timeCalls(senders, effort, cpuTimeNs)

  return contenders.map((contender, place) => {
    const send = sessions[place]?.send
    return {
      name: contender.name,
      isOurs: ours.includes(contender),
      cachedRounds: cached[place] ?? [],
      sendRounds: send ? (sent[senders.indexOf(send)] ?? []) : [],
      coldLogins: cold[place]?.logins ?? Number.NaN,
      coldMs: cold[place]?.elapsedMs ?? Number.NaN,
    }
  })
})

async function callCold({ open }: TokenContender): Promise<{ logins: number; elapsedMs: number }> {
  let logins = 0
  const { token } = open(async () => {
    logins += 1
    await sleep(20)
    return 'not-a-secret-token'
  })
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: coldCallers }, token))
  return { logins, elapsedMs: performance.now() - startedAt }
}
