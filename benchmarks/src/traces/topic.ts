import { node24 } from '../jobs/command-runtime.ts'
import { startBareServer } from '../jobs/service.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { type TraceCost, tracesJob } from './traces-job.ts'

/** The cost of traces, with and without those who listen. */
export const traces: Topic<readonly TraceCost[]> = {
  name: 'traces',
  title: 'Traces and metrics',
  async run({ requests }) {
    const server = await startBareServer()
    try {
      return await node24.run(tracesJob, {
        rounds: requests.rounds,
        // A listener costs less than what a short round varies by.
        requestsPerRound: 4 * requests.requestsPerRound,
        url: server.url,
      })
    } finally {
      await server.close()
    }
  },
  section: (costs) => ({
    markdown: `Node 24, requests with a cached token to a bare \`node:http\` server in its own process, 16 in flight at a time. The
spans of the SDK of OpenTelemetry go to no exporter.

${table(
  ['', 'CPU µs per request', 'of bare fetch', 'of nobody listening'],
  costs.map(({ name, cpuRounds }) => [
    name,
    figure(median(cpuRounds)),
    figure(medianRatio(cpuRounds, costs[0]?.cpuRounds ?? [])),
    figure(medianRatio(cpuRounds, costs[1]?.cpuRounds ?? [])),
  ]),
)}`,
  }),
}
