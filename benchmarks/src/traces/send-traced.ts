import { authFetch, authorizeRequest } from '@svc/auth-hooks'
import { createTokenAuth } from '@svc/auth-token'
import { defaultUsers } from '@svc/emulator'
import { report } from '../jobs/report.ts'
import { cpuTimeNs } from '../measure/cpu-time.ts'
import { inRounds } from '../measure/in-rounds.ts'
import { inSpan, keepContexts, listenIdly, listenWithOpenTelemetry } from './listeners.ts'
import { tracesJob } from './traces-job.ts'

const concurrency = 16

/** A way to send, and those who listen meanwhile. */
interface TracedContender {
  readonly name: string
  readonly send: () => Promise<unknown>
  /** Returns the function that ends it. */
  readonly listen?: () => () => void
}

await report(tracesJob, async ({ url, rounds, requestsPerRound }) => {
  const auth = createTokenAuth({ baseUrl: url, credentials: defaultUsers[0] })
  const target = `${url}/user/groups`
  const headers = Object.fromEntries((await authorizeRequest(auth, target)).headers)
  const bare = async (): Promise<unknown> => (await fetch(target, { headers })).arrayBuffer()
  const authenticated = authFetch(auth)
  const ours = async (): Promise<unknown> => (await authenticated(target)).arrayBuffer()
  const contenders: readonly TracedContender[] = [
    { name: 'bare fetch with the same headers', send: bare },
    { name: 'authFetch, nobody listens', send: ours },
    { name: 'authFetch, subscribers that do nothing', send: ours, listen: listenIdly },
    {
      name: 'bare fetch in a span written by hand',
      send: () => inSpan(bare),
      listen: keepContexts,
    },
    { name: 'authFetch, instrumentAuth', send: ours, listen: listenWithOpenTelemetry },
  ]
  for (const contender of contenders) await measureCpu(contender, requestsPerRound)
  const taken = await inRounds(contenders, rounds, (contender) =>
    measureCpu(contender, requestsPerRound),
  )
  return contenders.map(({ name }, place) => ({ name, cpuRounds: taken[place] ?? [] }))
})

/** Resolves to the CPU microseconds per request. */
async function measureCpu({ send, listen }: TracedContender, requests: number): Promise<number> {
  const stop = listen?.()
  // Not measured: the garbage of the contender before is still being collected.
  await sendMany(send, requests / 5)
  const before = cpuTimeNs()
  await sendMany(send, requests)
  const cpuUs = (cpuTimeNs() - before) / 1000 / requests
  stop?.()
  return cpuUs
}

async function sendMany(send: () => Promise<unknown>, requests: number): Promise<void> {
  let started = 0
  const sendInTurn = async (): Promise<void> => {
    while (started < requests) {
      started += 1
      await send()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, sendInTurn))
}
