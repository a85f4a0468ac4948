import { median } from '../measure/statistics.ts'
import { figure, kilobytes } from '../report/figures.ts'
import { table } from '../report/table.ts'
import type { Topic } from '../topic.ts'
import { type BundleSize, bundleSize, type FileWeight, fileWeights } from './bundle-size.ts'
import { emptyModule, importTimes } from './import-time.ts'
import { foreignDependencies } from './foreign-dependencies.ts'
import { type Imported, importedPackages } from './packages.ts'

/** What it costs to have a package. */
export interface PackageCost {
  readonly imported: Imported
  /** The import in a fresh process, in milliseconds by round. */
  readonly importRounds: readonly number[]
  readonly size: BundleSize
  /** What its files weigh, where the page shows it. */
  readonly weights: readonly FileWeight[]
}

/** What it costs to have each package, and to import nothing. */
export interface StartResult {
  readonly emptyRounds: readonly number[]
  /** What our client packages install beside each other. */
  readonly foreignDependencies: readonly string[]
  readonly costs: readonly PackageCost[]
}

/** What it costs to have a package at all. */
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
minified and compressed (gzip -9): for a browser, or for Node if the package needs Node modules.

${table(
  ['', 'import ms', 'for', 'at start', 'all in'],
  costs.map(({ imported: { specifier, names }, importRounds, size }) => [
    `${specifier} (${names.join(', ')})`,
    figure(median(importRounds)),
    size.platform,
    kilobytes(size.atStartBytes),
    kilobytes(size.allBytes),
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

/** How many files of a package are shown. */
const shownFiles = 8
