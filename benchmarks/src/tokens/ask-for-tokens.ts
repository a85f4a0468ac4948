import { setTimeout as sleep } from 'node:timers/promises'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { timeCalls } from '../measure/time-calls.ts'
import { tokenFloor } from './floor.ts'
import { ourTokenContenders } from './ours.ts'
import { tokenPeers } from './peers.ts'
import type { TokenContender } from './token-contender.ts'
import { coldCallers, tokensJob } from './tokens-job.ts'

const contenders = [...ourTokenContenders, ...tokenPeers, tokenFloor]

await report(tokensJob, async (effort) => {
  const logins: number[] = []
  for (const contender of contenders) logins.push(await coldLogins(contender))
  const sessions = contenders.map(({ open }) => open(async () => 'not-a-secret-token'))
  const rounds = await timeCalls(
    sessions.map(({ send }) => send),
    effort,
    cpuTimeNs,
  )
  return contenders.map(({ name }, place) => ({
    name,
    rounds: rounds[place] ?? [],
    coldLogins: logins[place] ?? Number.NaN,
  }))
})

/** Returns how many logins many callers cause who come while there is no token. */
async function coldLogins({ open }: TokenContender): Promise<number> {
  let logins = 0
  const { send } = open(async () => {
    logins += 1
    await sleep(20)
    return 'not-a-secret-token'
  })
  await Promise.all(Array.from({ length: coldCallers }, send))
  return logins
}
