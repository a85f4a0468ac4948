import { node24FromSource } from '../jobs/command-runtime.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { profileJob, type RequestProfile } from './profile-job.ts'

/** The least share that is shown. */
const shownShare = 0.02

/** The time of a signed request, by file. */
export const profile: Topic<readonly RequestProfile[]> = {
  name: 'profile',
  title: 'Where the time goes',
  run: ({ calls }) =>
    node24FromSource.run(profileJob, { durationMs: calls.rounds * calls.roundMs * 8 }),
  section: (profiles) => ({
    markdown: `Node 24, \`authFetch\` with the native engine and an inner \`fetch\` that responds immediately, by V8's own
sampling: the share of the time spent in each file. Functions that V8 inlines count for the outer one. Code
without a file counts as *runtime*: regular expressions, strings, promises, and the loop around it all.
Files with less than ${percent(shownShare)} are omitted.

${table(['', ...profiles.map(({ request }) => request)], rows(profiles))}`,
  }),
}

function rows(profiles: readonly RequestProfile[]): string[][] {
  const names = new Set(profiles.flatMap(({ shares }) => Object.keys(shares)))
  const most = (name: string): number =>
    Math.max(...profiles.map(({ shares }) => shares[name] ?? 0))
  return [...names]
    .filter((name) => most(name) >= shownShare)
    .sort((a, b) => most(b) - most(a))
    .map((name) => [name].concat(profiles.map(({ shares }) => percent(shares[name] ?? 0))))
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
