import { median, medianRatio } from '../measure/statistics.ts'
import { figure } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Section } from '../topic.ts'
import { concurrency, type RequestPerformance, type RequestRound } from './requests-job.ts'

/** Returns the section of the page about whole requests. */
export function requestsSection(performances: readonly RequestPerformance[]): Section {
  const head = [
    '',
    'requests/s',
    'of bare fetch',
    'of its bare client',
    'p50 ms',
    'p99 ms',
    'CPU µs per request',
    'CPU of bare fetch',
  ]
  return {
    markdown: `Node 24, ${concurrency} requests in flight at a time, responses read to the end. The emulator accepted one request
of each client; the measured ones went to a bare \`node:http\` server in its own process, since the time
that the emulator needs to verify would hide what the clients need. *Bare* clients send headers made once,
in advance; *the same in an async function* shows how large a difference is noise on this machine.

${table(
  head,
  performances.map((performance) => row(performance, performances)),
)}`,
  }
}

/** Returns a figure of a client as a share of that of a bare client with the same headers, round by round. */
export function shareOfBare(
  performance: RequestPerformance,
  performances: readonly RequestPerformance[],
  client: RequestPerformance['client'],
  figureOf: (round: RequestRound) => number,
): number {
  const bare = performances.find(
    (other) =>
      other.isBare && other.client === client && other.credential === performance.credential,
  )
  if (!bare || performance.rounds.length !== bare.rounds.length) return Number.NaN
  return medianRatio(performance.rounds.map(figureOf), bare.rounds.map(figureOf))
}

/** Returns the requests per second of a round. */
const throughput = ({ requestsPerSecond }: RequestRound): number => requestsPerSecond

function row(
  performance: RequestPerformance,
  performances: readonly RequestPerformance[],
): readonly string[] {
  const { name, rounds, refused, client } = performance
  if (refused !== undefined) return [name, `refused: ${refused}`, '', '', '', '', '', '']
  const of = (figureOf: (round: RequestRound) => number): string =>
    figure(median(rounds.map(figureOf)))
  const share = (its: RequestPerformance['client'], figureOf: (round: RequestRound) => number) =>
    figure(shareOfBare(performance, performances, its, figureOf))
  return [
    name,
    of(throughput),
    share('fetch', throughput),
    share(client, throughput),
    of(({ p50Ms }) => p50Ms),
    of(({ p99Ms }) => p99Ms),
    of(({ cpuPerRequestUs }) => cpuPerRequestUs),
    share('fetch', ({ cpuPerRequestUs }) => cpuPerRequestUs),
  ]
}
