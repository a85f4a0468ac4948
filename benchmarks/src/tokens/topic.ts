import { node24 } from '../jobs/command-runtime.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure, times } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { coldCallers, type TokenPerformance, tokensJob } from './tokens-job.ts'

/** The time that it takes to get a token. */
export const tokens: Topic<readonly TokenPerformance[]> = {
  name: 'tokens',
  title: 'Getting a token',
  run: ({ calls }) => node24.run(tokensJob, calls),
  section: (performances) => ({
    markdown: `Node 24. Getting a cached token, and a request with it whose sender responds immediately: CPU microseconds,
and in brackets the multiple of the first line. Then ${coldCallers.toLocaleString('en-GB')} callers at once, without a
cached token, and a login that takes 20 ms. The last line is the floor.

${table(
  ['', 'a cached token', 'a request with it', 'logins for cold callers', 'ms until all have it'],
  performances.map(({ name, cachedRounds, sendRounds, coldLogins, coldMs }) => [
    name,
    cell(cachedRounds, performances[0]?.cachedRounds ?? []),
    sendRounds.length > 0 ? cell(sendRounds, performances[0]?.sendRounds ?? []) : '',
    coldLogins.toLocaleString('en-GB'),
    figure(coldMs),
  ]),
)}`,
  }),
}

function cell(rounds: readonly number[], base: readonly number[]): string {
  return `${figure(median(rounds))} (${times(medianRatio(rounds, base))})`
}
