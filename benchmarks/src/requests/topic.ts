import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer, startEmulator } from '../jobs/service.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { bareName } from './our-contenders.ts'
import {
  concurrency,
  type RequestPerformance,
  type RequestRound,
  requestsJob,
} from './requests-job.ts'

/** Whole requests over loopback. */
export const requests: Topic<readonly RequestPerformance[]> = {
  title: 'Requests',
  async run({ requests: effort }) {
    const bare = await startBareServer()
    const emulator = await startEmulator()
    try {
      return await node24.run(requestsJob, {
        ...effort,
        bareUrl: bare.url,
        emulatorUrl: emulator.url,
      })
    } finally {
      await bare.close()
      await emulator.close()
    }
  },
  section: (
    performances,
  ) => `Node 24, ${concurrency} requests under way at a time over loopback, responses read to the end. The emulator accepted
one request of each client; the measured ones went to a bare \`node:http\` server in its own process. *Bare* clients send
headers made once, in advance; @badgateway/oauth2-client and openid-client send a token as Bearer, which the emulator does
not take. Ratios compare a client with its bare one, round by round.

${table(
  ['', 'requests/s', 'of its bare client', 'CPU µs per request', 'of its bare client'],
  performances.map((performance) => row(performance, performances)),
)}`,
}

/** Returns a figure of a client as a multiple of that of its bare client with the same headers, round by round, if both were measured. */
export function ofBare(
  { client, credential, rounds }: RequestPerformance,
  performances: readonly RequestPerformance[],
  figureOf: (round: RequestRound) => number,
): number | undefined {
  const bare = performances.find(({ name }) => name === bareName(client, credential))
  if (!bare || rounds.length === 0 || rounds.length !== bare.rounds.length) return undefined
  return medianRatio(rounds.map(figureOf), bare.rounds.map(figureOf))
}

/** Returns the requests that a client sends in a second; nothing if it was refused. */
export function requestsPerSecond({ rounds }: RequestPerformance): number | undefined {
  return rounds.length === 0 ? undefined : median(rounds.map(throughput))
}

const throughput = (round: RequestRound): number => round.requestsPerSecond
const cpu = (round: RequestRound): number => round.cpuPerRequestUs

function row(
  performance: RequestPerformance,
  performances: readonly RequestPerformance[],
): readonly string[] {
  const { name, rounds, refused } = performance
  if (refused !== undefined) return [name, `refused: ${refused}`, '', '', '']
  const ratio = (figureOf: (round: RequestRound) => number): string =>
    figure(ofBare(performance, performances, figureOf) ?? Number.NaN)
  return [
    name,
    figure(median(rounds.map(throughput))),
    ratio(throughput),
    figure(median(rounds.map(cpu))),
    ratio(cpu),
  ]
}
