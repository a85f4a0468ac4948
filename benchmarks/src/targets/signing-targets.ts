import { medianRatio } from '../measure/statistics.ts'
import { times } from '../report/figures.ts'
import { nodeFloorName } from '../signing/contenders/floor-name.ts'
import { ratios } from '../signing/ratios.ts'
import type { RuntimeSigning } from '../signing/result.ts'
import type { VerifiedPerformance } from '../signing/verify-contest.ts'
import type { Measurement, Target } from './target.ts'

const authorize = 'authorize, native'
const peers = new Set(['aws4', 'aws4fetch', '@smithy/signature-v4'])

/** The signer against the floor of its runtime, the whole of `authFetch` against the signer, and both against the peers. */
export const signingTargets: readonly Target[] = [
  ofNode('GET with a query', authorize, nodeFloorName, 1.6),
  ofNode('POST of 1 KB', authorize, nodeFloorName, 1.3),
  ofNode('awkward path', authorize, nodeFloorName, 1.9),
  ofNode('200 parameters', authorize, nodeFloorName, 6),
  ofNode('GET with a query', 'authFetch, native', authorize, 1.3),
  ofNode('POST of 1 KB', 'authFetch, native', authorize, 1.3),
  ofNode('PUT of 1 MiB', 'authFetch, native', authorize, 1.1),
  ofNode('PUT of 1 MiB', "authFetch, native, the platform's fetch", authorize, 1.1),
  most('Chromium', 'GET with a query', 'authorize, webcrypto', `${nodeFloorName}, WebCrypto`, 1.5),
  most('Chromium', 'POST of 1 KB', 'authorize, webcrypto', `${nodeFloorName}, WebCrypto`, 1.5),
  {
    what: 'authorize against aws4, aws4fetch and @smithy/signature-v4, on every runtime',
    target: 'ahead',
    measure: ({ signing }) => signing && againstPeers(signing),
  },
]

function ofNode(request: string, ours: string, base: string, factor: number): Target {
  return most('Node 24', request, ours, base, factor)
}

/** A contender that takes at most so many times as long as another one. */
function most(
  runtime: string,
  request: string,
  ours: string,
  base: string,
  factor: number,
): Target {
  return {
    what: `${runtime}, ${request}: ${ours}, against ${base}`,
    target: `≤ ${factor} ×`,
    measure({ signing }) {
      const contests = signing?.find((one) => one.runtime === runtime)?.contests
      const performances = contests?.find((contest) => contest.case === request)?.performances
      const [mine, its] = [ours, base].map((name) =>
        performances?.find(({ contender }) => contender === name),
      )
      if (!isGood(mine) || !isGood(its)) return undefined
      const ratio = medianRatio(mine.rounds, its.rounds)
      return { measured: times(ratio), isMet: ratio <= factor }
    },
  }
}

function againstPeers(signing: readonly RuntimeSigning[]): Measurement | undefined {
  const rows = signing.flatMap(({ runtime, contests }) =>
    contests.flatMap(({ case: request, performances }) => {
      // The first of ours is the default of its runtime.
      const ours = performances.find(({ role }) => role === 'ours')
      return [...ratios(performances, ours)]
        .filter(([name]) => peers.has(name))
        .map(([name, ratio]) => ({ row: `${runtime}, ${request}, ${name}`, ratio }))
    }),
  )
  const [least] = rows.sort((a, b) => a.ratio - b.ratio)
  if (!least) return undefined
  const behind = rows.filter(({ ratio }) => ratio < 1)
  return {
    measured: behind.length === 0 ? 'ahead' : `behind in ${behind.length} of ${rows.length}`,
    isMet: behind.length === 0,
    besides: `the closest: ${least.row} ${times(least.ratio)}`,
  }
}

function isGood(performance: VerifiedPerformance | undefined): performance is VerifiedPerformance {
  return performance !== undefined && performance.refused === undefined
}
