import type { MeasuredResults } from '../measured-results.ts'
import { beyondFetch } from '../memory/topic.ts'
import { kilobytes, megabytes, times } from '../report/figures.ts'
import { ofBare } from '../requests/topic.ts'
import { copyFloorName, floorName } from '../signing/contenders/floor-name.ts'
import { multipleOf } from '../signing/topic.ts'
import type { ApplicationName } from '../start/packages.ts'
import { type FunctionName, functions } from '../start/function-bundles.ts'
import { beyondAws4fetch, heaviest, importMs } from '../start/topic.ts'

/** A bound, and where the next person goes on. */
export interface Target {
  readonly what: string
  /** The measurement must not exceed it. */
  readonly bound: number
  readonly aim?: number
  /** Writes a measurement, the bound and the aim. */
  readonly show: (value: number) => string
  /** Returns the measurement, or nothing if its topic was left out. */
  readonly measure: (results: MeasuredResults) => number | undefined
  /** Says what stands in the way of the aim. */
  readonly obstacle?: (results: MeasuredResults) => string
}

/** All targets, in the order of the page. */
export const targets: readonly Target[] = [
  bytesTarget('token + authFetch', 20, 18),
  bytesTarget('token + authFetch, page', 17.5, 15),
  bytesTarget('sigv4 + authFetch', 15, 13),
  bytesTarget('sigv4 + authFetch, page', 13, 11),
  bytesTarget('sigv4 + light authFetch', 10, 8),
  bytesTarget('authFetch', 10.7, 9),
  bytesTarget('selector', 4.2, 3.2),
  bytesTarget('the whole service + authFetch', 28.5, 25),
  signingTarget('authorize', 'GET with a query', floorName, 1.7),
  signingTarget('authorize', 'POST of 1 KB', floorName, 1.4),
  signingTarget('authFetch', 'GET with a query', floorName, 2.4),
  signingTarget('authFetch', 'POST of 1 KB', floorName, 2),
  signingTarget('light authFetch', 'GET with a query', floorName, 2),
  signingTarget('light authFetch', 'POST of 1 KB', floorName, 1.7),
  signingTarget('authFetch', 'PUT of 1 MiB', copyFloorName, 1.1),
  requestTarget('authFetch, token', 1.08),
  requestTarget('authFetch, signature', 1.12),
  requestTarget('authKy, signature', 1.15),
  requestTarget('authAxios, signature', 1.25),
  requestTarget('authGot, signature', 1.35),
  requestTarget('authInterceptor, signature', 1.35),
  {
    what: '1 GiB streamed and signed: memory beyond fetch alone',
    bound: 24 * 1024 ** 2,
    show: megabytes,
    measure: ({ memory }) =>
      // A quick run uploads less.
      memory && memory.uploadBytes >= 1024 ** 3 ? beyondFetch(memory.upload) : undefined,
  },
  {
    what: '10,000 requests under way: heap beyond fetch alone',
    bound: 24 * 1024 ** 2,
    show: megabytes,
    measure: ({ memory }) => memory && beyondFetch(memory.underWay),
  },
  importTarget('@svc/auth-token', 4),
  importTarget('@svc/auth-sigv4', 6),
  importTarget('@svc/auth-hooks', 3),
  functionTarget('aws-auth', 6),
  functionTarget('aws-auth-with-credentials', 6),
  {
    what: '@svc/auth-token on disk with its needs',
    bound: 400_000,
    show: kilobytes,
    measure: ({ start }) => start?.disk['@svc/auth-token']?.bytes,
  },
  {
    what: '@svc/auth-token on disk with its needs',
    bound: 45,
    show: (files) => `${files} files`,
    measure: ({ start }) => start?.disk['@svc/auth-token']?.files,
  },
]

/** The bytes of a bundle, in kB. */
function bytesTarget(name: ApplicationName, bound: number, aim: number): Target {
  const costOf = ({ start }: MeasuredResults) => start?.costs.find((cost) => cost.name === name)
  return {
    what: `bytes: ${name}`,
    bound: bound * 1000,
    aim: aim * 1000,
    show: kilobytes,
    measure: (results) => costOf(results)?.bytes,
    obstacle(results) {
      const imports = JSON.stringify(costOf(results)?.imports)
      // A page has the files of any runtime, which are weighed once.
      const weighed = results.start?.costs.find(
        (cost) => cost.weights.length > 0 && JSON.stringify(cost.imports) === imports,
      )
      return weighed ? heaviest(weighed) : ''
    },
  }
}

/** The CPU time of a contender as a multiple of a floor, on Node 24. */
function signingTarget(name: string, request: string, floor: string, bound: number): Target {
  return {
    what: `${request}: ${name}, against ${floor}`,
    bound,
    show: times,
    measure({ signing }) {
      const contests = signing?.find(({ runtime }) => runtime === 'Node 24')?.contests
      const contest = contests?.find((each) => each.case === request)
      return contest && multipleOf(contest, name, floor)
    },
  }
}

/** The CPU time of a request over loopback as a multiple of that of the bare client with the same headers. */
function requestTarget(contender: string, bound: number): Target {
  return {
    what: `CPU over the bare client with the same headers, loopback: ${contender}`,
    bound,
    show: times,
    measure({ requests }) {
      const ours = requests?.find(({ name }) => name === contender)
      if (!requests || !ours) return undefined
      return ofBare(ours, requests, ({ cpuPerRequestUs }) => cpuPerRequestUs)
    },
  }
}

/** The import of a package in a fresh process. */
function importTarget(specifier: string, bound: number): Target {
  return {
    what: `import of ${specifier}, beyond an empty module`,
    bound,
    show: (ms) => `${ms.toFixed(1)} ms`,
    measure: ({ start }) => start?.imports[specifier] && importMs(start.imports, specifier),
  }
}

/** The import of a function that signs one request, as it is deployed on AWS Lambda. */
function functionTarget(name: FunctionName, bound: number): Target {
  return {
    what: `import of a function: ${functions[name]}, beyond 1.5 × aws4fetch`,
    bound,
    show: (ms) => `${ms.toFixed(1)} ms`,
    measure: ({ start }) => start?.functions[name] && beyondAws4fetch(start.functions, name),
  }
}
