import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer } from '../jobs/service.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure, times } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { type Latency, latencyJob, type LatencyResult, type LatencyRound } from './latency-job.ts'

/** The latency of requests while the process is half busy. */
export const latency: Topic<LatencyResult> = {
  name: 'latency',
  title: 'Latency at half load',
  async run({ halfLoad }) {
    const server = await startBareServer()
    try {
      return await node24.run(latencyJob, { ...halfLoad, url: server.url })
    } finally {
      await server.close()
    }
  },
  section: ({ requestsPerSecond, latencies }) => ({
    markdown: `Node 24, ${requestsPerSecond.toLocaleString('en-GB')} requests per second, half of what bare \`fetch\` reaches, sent however long the responses take.

${table(
  ['', 'p50 ms', 'p99 ms', 'p99 of bare fetch'],
  latencies.map((one) => [
    one.name,
    figure(median(one.rounds.map(({ p50Ms }) => p50Ms))),
    figure(median(one.rounds.map(p99))),
    times(p99OfBare(one, latencies)),
  ]),
)}`,
  }),
}

/** Returns the p99 of a client as a multiple of that of bare `fetch` with the same headers, round by round. */
export function p99OfBare(one: Latency, latencies: readonly Latency[]): number {
  const bare = latencies.find(({ isBare, credential }) => isBare && credential === one.credential)
  return bare ? medianRatio(one.rounds.map(p99), bare.rounds.map(p99)) : Number.NaN
}

function p99({ p99Ms }: LatencyRound): number {
  return p99Ms
}
