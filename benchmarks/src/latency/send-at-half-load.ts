import { setTimeout as sleep } from 'node:timers/promises'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { report } from '../jobs/report.ts'
import { inRounds } from '../measure/in-rounds.ts'
import { quantile } from '../measure/statistics.ts'
import type { Send } from '../requests/contender.ts'
import { ourContenders } from '../requests/our-contenders.ts'
import { inAsyncFunction } from '../requests/requests-job.ts'
import { latencyJob, type LatencyRound } from './latency-job.ts'

const concurrency = 16

const contenders = ourContenders.filter(
  ({ name, client }) =>
    client === 'fetch' && !name.includes('selector') && name !== inAsyncFunction('token'),
)

await report(latencyJob, async ({ url, rounds, roundMs }) => {
  const { username, password } = defaultUsers[0]
  const service = { baseUrl: url, user: { username, password }, apiKey: defaultApiKeys[0] }
  const senders = await Promise.all(contenders.map((contender) => contender.connect(service)))
  // Connections are opened, and code is compiled.
  for (const send of senders) await throughput(send, roundMs)
  const full = await throughput(senders[0] as Send, roundMs)
  const requestsPerSecond = Math.round(full / 2)
  const taken = await inRounds(senders, rounds, (send) =>
    sendAtRate(send, requestsPerSecond, roundMs),
  )
  const latencies = contenders.map(({ name, isBare, credential }, place) => ({
    name,
    isBare,
    credential,
    rounds: taken[place] ?? [],
  }))
  return { requestsPerSecond, latencies }
})

/** Returns the requests per second with as many under way as the other measurements have. */
async function throughput(send: Send, durationMs: number): Promise<number> {
  const startedAt = performance.now()
  const end = startedAt + durationMs
  let sent = 0
  const sendInTurn = async (): Promise<void> => {
    while (performance.now() < end) {
      await send()
      sent += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, sendInTurn))
  return sent / ((performance.now() - startedAt) / 1000)
}

/** Sends at a rate, however long the responses take. */
async function sendAtRate(
  send: Send,
  requestsPerSecond: number,
  durationMs: number,
): Promise<LatencyRound> {
  const latencies: number[] = []
  const pending: Promise<void>[] = []
  const sendTimed = async (): Promise<void> => {
    const sentAt = performance.now()
    const status = await send()
    latencies.push(performance.now() - sentAt)
    if (status !== 200) throw new Error(`status ${status}`)
  }
  const startedAt = performance.now()
  for (;;) {
    const elapsedMs = performance.now() - startedAt
    if (elapsedMs > durationMs) break
    while (pending.length < (elapsedMs / 1000) * requestsPerSecond) pending.push(sendTimed())
    await sleep(1)
  }
  await Promise.all(pending)
  return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) }
}
