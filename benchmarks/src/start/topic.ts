import { median } from '../measure/statistics.ts'
import { figure, kilobytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { bundleSize, type FileWeight, fileWeights } from './bundle-size.ts'
import { type DiskSize, diskSizes } from './disk-size.ts'
import { bundleFunctions, type FunctionName, functions } from './function-bundles.ts'
import { emptyModule, importTimes } from './import-time.ts'
import { type Application, applications } from './packages.ts'

/** The cost of having a library in an application. */
export interface ApplicationCost extends Application {
  readonly bytes: number
  /** The weight of its files, if the page shows it. */
  readonly weights: readonly FileWeight[]
}

/** The cost of every library, and the time that it takes to import nothing. */
export interface StartResult {
  readonly costs: readonly ApplicationCost[]
  /** Imports in a fresh process, in milliseconds by round, by specifier. */
  readonly imports: Readonly<Record<string, readonly number[]>>
  /** Those of the bundles of functions that sign one request, beside that of an empty module. */
  readonly functions: Readonly<Record<string, readonly number[]>>
  readonly disk: Readonly<Record<string, DiskSize>>
}

const ours = ['@svc/auth-token', '@svc/auth-sigv4', '@svc/auth-hooks', '@svc/auth-hooks/light']
const installed = ['@svc/auth-token', '@svc/auth-sigv4', '@svc/service-auth']

/** The bytes of a library in a bundle and on disk, and the time to import it. */
export const start: Topic<StartResult> = {
  title: 'Size and import',
  async run({ starts }) {
    const specifiers = [
      ...new Set([emptyModule, ...ours, ...applications.flatMap(({ imports }) => keysOf(imports))]),
    ]
    const rounds = await importTimes(specifiers, starts)
    const bundles = Object.entries({ ...(await bundleFunctions()), [emptyModule]: emptyModule })
    const functionRounds = await importTimes(
      bundles.map(([, url]) => url),
      starts,
    )
    const costs: ApplicationCost[] = []
    for (const application of applications as readonly Application[]) {
      costs.push({
        ...application,
        bytes: await bundleSize(application),
        weights: application.isWeighedByFile ? await fileWeights(application) : [],
      })
    }
    return {
      costs,
      imports: Object.fromEntries(specifiers.map((name, place) => [name, rounds[place] ?? []])),
      functions: Object.fromEntries(
        bundles.map(([name], place) => [name, functionRounds[place] ?? []]),
      ),
      disk: await diskSizes(installed),
    }
  },
  section: ({
    costs,
    imports,
    functions: bundles,
    disk,
  }) => `Minified and compressed (gzip -9), with everything that is needed: for a page, for Node where a library
needs it, or for any runtime. These are the bytes that \`pnpm size\` holds.

${table(
  ['', 'for', 'kB'],
  costs.map(({ name, platform, bytes }) => [
    name,
    { any: 'any runtime', browser: 'a page', node: 'Node' }[platform],
    figure(bytes / 1000),
  ]),
)}

### Import

The import of a whole package in a fresh Node 24, beyond the ${figure(median(imports[emptyModule] ?? []))} ms of an empty module.

${table(
  ['', 'ms'],
  Object.keys(imports)
    .filter((name) => name !== emptyModule)
    .map((name) => [name, figure(importMs(imports, name))]),
)}

### A function of a cloud

The import of one minified module that signs a request, as it is deployed on AWS Lambda, in a fresh Node 24.

${table(
  ['', 'ms'],
  Object.entries(functions).map(([name, what]) => [what, figure(importMs(bundles, name))]),
)}

### On disk

As npm installs it, with all that it depends on.

${table(
  ['', 'kB', 'files'],
  Object.entries(disk).map(([name, { bytes, files }]) => [name, figure(bytes / 1000), `${files}`]),
)}

### The heaviest files

How much smaller the bundle is without each of them and what only it needs.

${table(
  ['', 'file', 'kB'],
  costs.flatMap(({ name, weights }) =>
    weights
      .slice(0, shownFiles)
      .map(({ file, bytes }, place) => [place === 0 ? name : '', file, figure(bytes / 1000)]),
  ),
)}`,
}

/** The number of files that are shown of an application. */
const shownFiles = 6

/** Returns the time to import a package, beyond that of an empty module. */
export function importMs(imports: StartResult['imports'], specifier: string): number {
  return median(imports[specifier] ?? []) - median(imports[emptyModule] ?? [])
}

/** Returns the time to import the bundle of a function, beyond 1.5 times that of aws4fetch. */
export function beyondAws4fetch(bundles: StartResult['functions'], name: FunctionName): number {
  return importMs(bundles, name) - 1.5 * importMs(bundles, 'aws4fetch')
}

/** Names the heaviest files of an application: what stands in the way of a smaller one. */
export function heaviest({ weights }: ApplicationCost): string {
  return weights
    .slice(0, 3)
    .map(({ file, bytes }) => `${file.replace(/^.+\//, '')} ${kilobytes(bytes)}`)
    .join(', ')
}

function keysOf(imports: Application['imports']): string[] {
  return Object.keys(imports).filter((name) => !name.startsWith('@svc/') && name !== 'axios')
}
