import { times } from '../report/figures.ts'
import { nodeFloorName } from '../signing/contenders/floor-name.ts'
import { ratios } from '../signing/ratios.ts'
import type { RuntimeSigning } from '../signing/result.ts'
import type { Target } from './target.ts'

const factors = {
  'authorize, native': { aws4: 5, aws4fetch: 35, '@smithy/signature-v4': 6 },
  'authFetch, native': { aws4: 4, aws4fetch: 20, '@smithy/signature-v4': 4.5 },
} as const

/** The signer alone and the whole of `authFetch`, against each peer, with both small requests. */
export const signingTargets: readonly Target[] = Object.entries(factors).flatMap(
  ([contender, peers]) =>
    Object.entries(peers).flatMap(([peer, factor]) =>
      ['GET with a query', 'POST of 1 KB'].map((request): Target => ({
        what: `${contender}: ${request}, CPU time against ${peer}`,
        target: `≥ ${factor} ×`,
        measure({ signing }) {
          if (!signing) return undefined
          const ratio = leastRatio(signing, request, contender, peer)
          if (ratio === undefined) return undefined
          const floor = leastRatio(signing, request, nodeFloorName, peer)
          return {
            measured: times(ratio),
            isMet: ratio >= factor,
            ...(floor !== undefined && {
              besides: `the hashes and the HMAC alone: ${times(floor)}`,
            }),
          }
        },
      })),
    ),
)

/** Returns the ratio on Node 24; of a peer that is measured in several ways, that of the fastest. */
function leastRatio(
  signing: readonly RuntimeSigning[],
  request: string,
  contender: string,
  peer: string,
): number | undefined {
  const node = signing.find(({ runtime }) => runtime === 'Node 24')
  const performances =
    node?.contests.find((contest) => contest.case === request)?.performances ?? []
  const ours = performances.find((performance) => performance.contender === contender)
  const its = [...ratios(performances, ours)].filter(([name]) => name.split(',')[0] === peer)
  return its.length === 0 ? undefined : Math.min(...its.map(([, ratio]) => ratio))
}
