import { node24 } from '../jobs/command-runtime.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure, times } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { coldCallers, type TokenPerformance, tokensJob } from './tokens-job.ts'

/** What a token costs that is there, and how many logins it takes while it is not. */
export const tokens: Topic<readonly TokenPerformance[]> = {
  title: 'A token alone',
  run: ({ calls }) => node24.run(tokensJob, calls),
  section: (
    performances,
  ) => `Node 24, requests whose response is there at once: CPU microseconds of a request with a cached token, in brackets as a
multiple of the first line. Then the logins of ${coldCallers.toLocaleString('en-GB')} callers at once without a token. The
last line is the floor. openid-client keeps no token, so its user does here.

${table(
  ['', 'CPU µs per request', 'logins for cold callers'],
  performances.map(({ name, rounds, coldLogins }) => [
    name,
    `${figure(median(rounds))} (${times(medianRatio(rounds, performances[0]?.rounds ?? []))})`,
    coldLogins.toLocaleString('en-GB'),
  ]),
)}`,
}
