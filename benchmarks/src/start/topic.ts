import { median } from '../measure/statistics.ts'
import { figure, kilobytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { type BundleSize, bundleSize, type FileWeight, fileWeights } from './bundle-size.ts'
import { emptyModule, importTimes } from './import-time.ts'
import { foreignDependencies } from './foreign-dependencies.ts'
import { type Imported, importedPackages } from './packages.ts'

/** The cost of having a package. */
export interface PackageCost {
  readonly imported: Imported
  /** The import in a fresh process, in milliseconds by round. */
  readonly importRounds: readonly number[]
  readonly size: BundleSize
  /** The weight of its files, if the page shows it. */
  readonly weights: readonly FileWeight[]
}

/** The cost of every package, and the time that it takes to import nothing. */
export interface StartResult {
  readonly emptyRounds: readonly number[]
  /** The dependencies of our client packages other than each other. */
  readonly foreignDependencies: readonly string[]
  readonly costs: readonly PackageCost[]
}

/** The time to import a package, and its size in a bundle. */
export const start: Topic<StartResult> = {
  name: 'start',
  title: 'Start and size',
  async run({ starts }) {
    const specifiers = [...new Set(importedPackages.map(({ specifier }) => specifier))]
    const [emptyRounds = [], ...rounds] = await importTimes([emptyModule, ...specifiers], starts)
    const costs = await Promise.all(
      importedPackages.map(async (imported) => ({
        imported,
        importRounds: rounds[specifiers.indexOf(imported.specifier)] ?? [],
        size: await bundleSize(imported),
        weights: imported.isWeighedByFile ? await fileWeights(imported) : [],
      })),
    )
    return { emptyRounds, foreignDependencies: await foreignDependencies(), costs }
  },
  section: ({ emptyRounds, costs }) => ({
    markdown: `The import time is that of the whole package in a fresh Node 24; an empty module takes
${figure(median(emptyRounds))} ms. The size is that of the names in brackets with everything they depend on,
minified and compressed (gzip -9), what it loads later included: for a browser, or for Node if the package needs Node modules.

${table(
  ['', 'import ms', 'for', 'size'],
  costs.map(({ imported: { specifier, names }, importRounds, size }) => [
    `${specifier} (${names.join(', ')})`,
    figure(median(importRounds)),
    size.platform,
    kilobytes(size.bytes),
  ]),
)}

The heaviest files, and how much smaller the bundle is without each of them and whatever only it needs:

${table(
  ['', 'file', 'weighs'],
  costs.flatMap(({ imported: { specifier }, weights }) =>
    weights
      .slice(0, shownFiles)
      .map(({ file, bytes }, place) => [place === 0 ? specifier : '', file, kilobytes(bytes)]),
  ),
)}`,
  }),
}

/** The number of files that are shown of a package. */
const shownFiles = 8
