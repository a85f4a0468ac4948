import { figure, kilobytes, mebibytes } from '../report/figures.ts'
import { inAsyncFunction } from '../requests/requests-job.ts'
import { shareOfBare, throughput } from '../requests/section.ts'
import type { Target } from './target.ts'

const mebibyte = 1024 ** 2

/** The targets that are not about a signature alone. */
export const otherTargets: readonly Target[] = [
  throughputTarget('token', 0.95),
  throughputTarget('signature', 0.85),
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
    what: '1 GiB streamed and signed: memory growth',
    target: '< 64 MiB',
    measure({ memory }) {
      const ours = memory?.growths.find(({ who }) => who === 'authFetch, signed chunks')
      if (!ours || !memory) return undefined
      // A quick run uploads less.
      if (memory.uploadBytes < 1024 * mebibyte) return undefined
      return { measured: mebibytes(ours.bytes), isMet: ours.bytes < 64 * mebibyte }
    },
  },
  sizeTarget('@svc/auth-token', 4),
  sizeTarget('@svc/route-auth-selector', 1.5),
  sizeTarget('@svc/auth-sigv4', 4),
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
    what: 'signs correctly in Node 20, 22, 24, 26, Bun, Deno, Chromium (workerd: `pnpm test:runtimes`)',
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

function throughputTarget(credential: 'token' | 'signature', least: number): Target {
  return {
    what: `authFetch with a ${credential}: throughput of bare fetch with the same headers, loopback`,
    target: `≥ ${least}`,
    measure({ requests }) {
      const ours = requests?.find(({ name }) => name === `authFetch, ${credential}`)
      if (!ours || !requests) return undefined
      const share = shareOfBare(ours, requests, 'fetch', throughput)
      const control = requests.find(({ name }) => name === inAsyncFunction(credential))
      const itsShare = control && shareOfBare(control, requests, 'fetch', throughput)
      return {
        measured: figure(share),
        isMet: share >= least,
        ...(itsShare !== undefined && { besides: `an empty async function: ${figure(itsShare)}` }),
      }
    },
  }
}

function sizeTarget(specifier: string, mostKilobytes: number): Target {
  return {
    what: `${specifier} in a browser, minified and compressed, all in`,
    target: `< ${mostKilobytes} kB`,
    measure({ start }) {
      const costs = start?.costs.filter(({ imported }) => imported.specifier === specifier)
      const [alone, withFetch] = costs ?? []
      if (!alone) return undefined
      const { allBytes, atStartBytes } = alone.size
      const sent = withFetch ? `, ${kilobytes(withFetch.size.atStartBytes)} with authFetch` : ''
      return {
        measured: `${kilobytes(allBytes)} (at start ${kilobytes(atStartBytes)}${sent})`,
        isMet: allBytes < mostKilobytes * 1000,
        besides: alone.weights
          .slice(0, 3)
          .map(({ file, bytes }) => `${file.replace(/^.+\//, '')} ${kilobytes(bytes)}`)
          .join(', '),
      }
    },
  }
}
