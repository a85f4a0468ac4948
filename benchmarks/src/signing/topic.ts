import { jobRuntimes } from '../jobs/runtimes.ts'
import type { Topic } from '../topic.ts'
import { signingCases } from './case.ts'
import { chromiumContests, chromiumVersion } from './chromium.ts'
import type { RuntimeSigning } from './result.ts'
import type { Contest } from './run-contest.ts'
import { signingSection } from './section.ts'
import { signingJob } from './signing-job.ts'
import { type VerifiedContest, verifyContest } from './verify-contest.ts'

/** The time that it takes to sign a request. */
export const signing: Topic<readonly RuntimeSigning[]> = {
  name: 'signing',
  title: 'Signing a request',
  section: signingSection,
  async run({ calls }, note) {
    const results: RuntimeSigning[] = []
    const add = async (
      name: string,
      version: () => Promise<string>,
      run: () => Promise<readonly Contest[]>,
    ): Promise<void> => {
      let installed: string
      try {
        installed = await version()
      } catch (error) {
        note(`${name} is skipped: ${String(error).split('\n', 1).join()}`)
        return
      }
      note(`${name} ${installed}`)
      results.push({ runtime: name, version: installed, contests: await verified(await run()) })
    }
    for (const runtime of jobRuntimes) {
      await add(
        runtime.name,
        () => runtime.version(),
        () => runtime.run(signingJob, calls),
      )
    }
    await add('Chromium', chromiumVersion, () => chromiumContests(calls))
    return results
  },
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
