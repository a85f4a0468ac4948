import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Effort } from './effort.ts'
import type { Environment } from './environment.ts'
import type { MeasuredResults } from './measured-results.ts'
import { renderPlot } from './report/render-plot.ts'
import { targetsSection } from './targets/section.ts'
import type { Section } from './topic.ts'

/** A section under its title. */
export interface TitledSection extends Section {
  readonly title: string
}

/**
 * Writes the page, its plots and the figures behind them into a folder.
 *
 * @returns The page.
 */
export async function writeResults(
  folder: string,
  environment: Environment,
  effort: Effort,
  results: MeasuredResults,
  sections: readonly TitledSection[],
): Promise<string> {
  const page = pageOf(environment, effort, results, sections)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'README.md'), page)
  const json = JSON.stringify({ environment, effort, results }, undefined, 1)
  await writeFile(join(folder, 'results.json'), `${json}\n`)
  for (const { plots = {} } of sections) {
    for (const [name, plot] of Object.entries(plots)) {
      await writeFile(join(folder, `${name}.svg`), `${await renderPlot(plot)}\n`)
    }
  }
  return page
}

function pageOf(
  { date, cpu, cores, memoryGiB, system, loadBefore, versions }: Environment,
  effort: Effort,
  results: MeasuredResults,
  sections: readonly TitledSection[],
): string {
  const targets = targetsSection(results)
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `# Speed, memory and size

Made by \`npx --yes pnpm@12.21.0 bench\` (${effort.name}) on ${date}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, load ${loadBefore.toFixed(2)}
before it began. ${installed.join(', ')}. Contenders take turns, round by round; figures are medians of the rounds,
ratios are medians of the ratios within a round. The figures behind this page are in [results.json](results.json).
${[...(targets ? [{ title: 'Targets', markdown: targets }] : []), ...sections]
  .map(({ title, markdown }) => `\n## ${title}\n\n${markdown}\n`)
  .join('')}`
}
