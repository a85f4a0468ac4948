import { node24 } from '../jobs/command-runtime.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure, times } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { signingCases } from './case.ts'
import { chromiumContests, chromiumVersion } from './chromium.ts'
import { floorName } from './contenders/floor-name.ts'
import type { Contest } from './run-contest.ts'
import { signingJob } from './signing-job.ts'
import { type VerifiedContest, verifyContest } from './verify-contest.ts'

/** The results of one runtime. */
export interface RuntimeSigning {
  readonly runtime: 'Node 24' | 'Chromium'
  readonly version: string
  readonly contests: readonly VerifiedContest[]
}

/** The time that it takes to sign a request, without sending it. */
export const signing: Topic<readonly RuntimeSigning[]> = {
  title: 'Signing alone',
  async run({ calls }, note) {
    const results: RuntimeSigning[] = []
    const add = async (
      runtime: RuntimeSigning['runtime'],
      readVersion: () => Promise<string>,
      run: () => Promise<readonly Contest[]>,
    ): Promise<void> => {
      let version: string
      try {
        version = await readVersion()
      } catch (error) {
        note(`${runtime} is skipped: ${String(error).split('\n', 1).join()}`)
        return
      }
      results.push({ runtime, version, contests: await verified(await run()) })
    }
    await add(
      'Node 24',
      () => node24.version(),
      () => node24.run(signingJob, calls),
    )
    await add('Chromium', chromiumVersion, () => chromiumContests(calls))
    return results
  },
  section: (
    results,
  ) => `CPU microseconds of a signature on Node, threads included; elapsed microseconds in Chromium, which does not
report CPU time. In brackets, the multiple of the bare hashes and the HMAC, which every signature needs. \`authorize\` is
the signer; \`authFetch\` does all but send: its inner \`fetch\` responds at once. Node signs with \`node:crypto\` but for
aws4fetch, which has only Web Crypto, as all have in Chromium. Every contender gets the request in the form that suits it
best, and the emulator verified one signature of each.

${results.map(runtimeTable).join('\n\n')}`,
}

/** Returns the time of a contender as a multiple of a floor; nothing if one of them was refused or did not run. */
export function multipleOf(
  { performances }: VerifiedContest,
  name: string,
  floor: string,
): number | undefined {
  const [mine, base] = [name, floor].map((each) =>
    performances.find(({ contender, refused }) => contender === each && refused === undefined),
  )
  return mine && base && medianRatio(mine.rounds, base.rounds)
}

function runtimeTable({ runtime, version, contests }: RuntimeSigning): string {
  const names = new Set(
    contests.flatMap(({ performances }) => performances.map(({ contender }) => contender)),
  )
  const rows = [...names].map((name) =>
    [name].concat(contests.map((contest) => cell(contest, name))),
  )
  const heading = `### ${runtime.replace(/ \d+$/, '')} ${version}`
  return `${heading}\n\n${table(['', ...contests.map((contest) => contest.case)], rows)}`
}

function cell(contest: VerifiedContest, name: string): string {
  const found = contest.performances.find(({ contender }) => contender === name)
  if (!found) return ''
  if (found.refused !== undefined) return `refused: ${found.refused}`
  const multiple = multipleOf(contest, name, floorName)
  return `${figure(median(found.rounds))}${multiple === undefined ? '' : ` (${times(multiple)})`}`
}

function verified(contests: readonly Contest[]): Promise<VerifiedContest[]> {
  return Promise.all(
    signingCases.flatMap((given) =>
      contests
        .filter((contest) => contest.case === given.name)
        .map((contest) => verifyContest(contest, given)),
    ),
  )
}
