import { p99OfBare } from '../latency/topic.ts'
import { median, medianRatio } from '../measure/statistics.ts'
import { figure, kilobytes, mebibytes, times } from '../report/figures.ts'
import type { ClientName } from '../requests/contender.ts'
import type { RequestPerformance } from '../requests/requests-job.ts'
import { shareOfBare } from '../requests/section.ts'
import type { Target } from './target.ts'

const mebibyte = 1024 ** 2

/** The targets that are not about a signature alone. */
export const otherTargets: readonly Target[] = [
  {
    what: 'a request with a cached token, its sender responds at once: CPU time against Azure’s bearer policy',
    target: '≤ 0.95 ×',
    measure({ tokens }) {
      const [ours, azure] = ['getToken, authFetch', '@azure/core-rest-pipeline, bearer policy'].map(
        (wanted) => tokens?.find(({ name }) => name === wanted),
      )
      if (!ours || !azure) return undefined
      const ratio = medianRatio(ours.sendRounds, azure.sendRounds)
      return { measured: times(ratio), isMet: ratio <= 0.95 }
    },
  },
  clientTarget('authFetch, token', 'fetch', 1.04),
  clientTarget('authFetch, signature', 'fetch', 1.08),
  clientTarget('authKy, token', 'ky', 1.08),
  clientTarget('authKy, signature', 'ky', 1.08),
  clientTarget('authAxios, signature', 'axios', 1.08),
  clientTarget('authGot, signature', 'got', 1.08),
  clientTarget('authInterceptor, signature', 'undici', 1.12),
  {
    what: 'the selector, of the CPU time of bare fetch',
    target: '≤ 0.02 more',
    measure({ requests }) {
      const [plain, selected] = ['authFetch, token', 'authFetch, selector to token'].map((wanted) =>
        requests?.find(({ name }) => name === wanted),
      )
      if (!requests || !plain || !selected) return undefined
      const more = cpuShare(selected, requests, 'fetch') - cpuShare(plain, requests, 'fetch')
      return { measured: figure(more), isMet: more <= 0.02 }
    },
  },
  {
    what: 'p99 of latency at half the load that bare fetch reaches, against that of bare fetch',
    target: '≤ 1.1 ×',
    measure({ latency }) {
      const ours = latency?.latencies.filter(({ name }) => name.startsWith('authFetch'))
      if (!latency || !ours) return undefined
      const shares = ours.map((one) => p99OfBare(one, latency.latencies))
      const named = ours.map(({ name }, place) => `${name}: ${times(shares[place] ?? Number.NaN)}`)
      const most = Math.max(...shares)
      return { measured: times(most), isMet: most <= 1.1, besides: named.join(', ') }
    },
  },
  {
    what: 'heap left behind by each of 1 000 000 requests in process, beyond bare fetch',
    target: '≤ 1 byte',
    measure({ memory }) {
      const [ours, bare] = ['authFetch, selector', 'fetch alone'].map((wanted) =>
        memory?.growths.find(({ who, what }) => who === wanted && what.includes('in process')),
      )
      if (!ours?.bytesPerRequest || !bare?.bytesPerRequest) return undefined
      const bytes = ours.bytesPerRequest - bare.bytesPerRequest
      return { measured: `${figure(bytes)} bytes`, isMet: bytes <= 1 }
    },
  },
  heapTarget('≤ 16 MiB', () => 16 * mebibyte),
  heapTarget('≤ 2 × the thinnest wrapper', (wrapperBytes) => 2 * wrapperBytes),
  {
    what: '10 000 concurrent calls, cold',
    target: '1 login',
    measure({ tokens }) {
      if (!tokens) return undefined
      const logins = tokens.filter(({ isOurs }) => isOurs).map(({ coldLogins }) => coldLogins)
      const most = Math.max(...logins)
      return { measured: `${most} login${most === 1 ? '' : 's'}`, isMet: most === 1 }
    },
  },
  {
    what: '1 GiB streamed and signed: memory beyond that of fetch alone',
    target: '< 24 MiB',
    measure({ memory }) {
      // A quick run uploads less.
      if (!memory || memory.uploadBytes < 1024 * mebibyte) return undefined
      const [ours, bare] = ['authFetch, signed chunks', 'fetch alone'].map((wanted) =>
        memory.growths.find(({ who, what }) => who === wanted && what.includes('streamed')),
      )
      if (!ours || !bare) return undefined
      const bytes = median(ours.rounds) - median(bare.rounds)
      return { measured: mebibytes(bytes), isMet: bytes < 24 * mebibyte }
    },
  },
  importTarget('@svc/auth-token', 3),
  importTarget('@svc/auth-sigv4', 6),
  importTarget('@svc/auth-hooks', 3),
  sizeTarget('@svc/auth-token', 6.8),
  sizeTarget('@svc/auth-sigv4', 5.4),
  sizeTarget('@svc/route-auth-selector', 2.4),
  sizeTarget('@svc/auth-hooks', 5.5),
  {
    what: 'runtime dependencies of the client packages other than each other',
    target: 'none',
    measure({ start }) {
      if (!start) return undefined
      const names = start.foreignDependencies
      return { measured: names.join(', ') || 'none', isMet: names.length === 0 }
    },
  },
  {
    what: 'signs correctly in Node 20, 22, 24, 26, Bun, Deno, Chromium (Cloudflare Workers: `pnpm test:runtimes`)',
    target: '7 of 7',
    measure({ signing }) {
      if (!signing) return undefined
      const good = signing.filter(({ contests }) =>
        contests.every(({ performances }) =>
          performances.every(({ role, refused }) => role !== 'ours' || refused === undefined),
        ),
      )
      return { measured: `${good.length} of 7`, isMet: good.length === 7 }
    },
  },
]

/** CPU time of the process for each request, as a multiple of that of the bare client with the same headers. */
function clientTarget(contender: string, client: ClientName, factor: number): Target {
  return {
    what: `${contender}: CPU time against bare ${client} with the same headers, loopback`,
    target: `≤ ${factor} ×`,
    measure({ requests }) {
      const ours = requests?.find(({ name }) => name === contender)
      if (!ours || !requests) return undefined
      const ratio = cpuShare(ours, requests, client)
      return { measured: times(ratio), isMet: ratio <= factor }
    },
  }
}

function cpuShare(
  ours: RequestPerformance,
  requests: readonly RequestPerformance[],
  client: ClientName,
): number {
  return shareOfBare(ours, requests, client, ({ cpuPerRequestUs }) => cpuPerRequestUs)
}

/** The heap of requests under way beyond that of bare `fetch`, against a limit or that of the thinnest wrapper. */
function heapTarget(target: string, limitOf: (wrapperBytes: number) => number): Target {
  return {
    what: 'heap of 10 000 requests under way, beyond bare fetch',
    target,
    measure({ memory }) {
      const [bare, ours, wrapper] = (
        ['fetch alone', 'authFetch, selector', 'the thinnest wrapper'] as const
      ).map((wanted) =>
        memory?.growths.find(({ who, what }) => who === wanted && what.includes('under way')),
      )
      if (!bare || !ours || !wrapper) return undefined
      const [measured, thin] = [ours, wrapper].map(
        ({ rounds }) => median(rounds) - median(bare.rounds),
      ) as [number, number]
      return {
        measured: mebibytes(measured),
        isMet: measured <= limitOf(thin),
        besides: `the thinnest wrapper: ${mebibytes(thin)}`,
      }
    },
  }
}

function importTarget(specifier: string, mostMs: number): Target {
  return {
    what: `import of ${specifier} in a fresh process, beyond an empty module`,
    target: `≤ ${mostMs} ms`,
    measure({ start }) {
      const cost = start?.costs.find(({ imported }) => imported.specifier === specifier)
      if (!start || !cost) return undefined
      const ms = median(cost.importRounds) - median(start.emptyRounds)
      return { measured: `${figure(ms)} ms`, isMet: ms <= mostMs }
    },
  }
}

function sizeTarget(specifier: string, mostKilobytes: number): Target {
  return {
    what: `${specifier} in a browser, minified and compressed, all in`,
    target: `≤ ${mostKilobytes} kB`,
    measure({ start }) {
      const costs = start?.costs.filter(({ imported }) => imported.specifier === specifier)
      const [alone, withFetch] = costs ?? []
      if (!alone) return undefined
      const { bytes } = alone.size
      const sent = withFetch ? ` (${kilobytes(withFetch.size.bytes)} with authFetch)` : ''
      return {
        measured: `${kilobytes(bytes)}${sent}`,
        isMet: bytes <= mostKilobytes * 1000,
        besides: alone.weights
          .slice(0, 3)
          .map((one) => `${one.file.replace(/^.+\//, '')} ${kilobytes(one.bytes)}`)
          .join(', '),
      }
    },
  }
}
