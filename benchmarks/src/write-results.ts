import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { choiceSection } from './choose/section.ts'
import type { Effort } from './effort.ts'
import type { Environment } from './environment.ts'
import type { MeasuredResults } from './measured-results.ts'
import { duration } from './report/figures.ts'
import { targetsSection } from './targets/section.ts'

/** A section under its title. */
export interface TitledSection {
  readonly title: string
  readonly markdown: string
}

/** The folders of the results. */
export interface ResultFolders {
  /** For the page, its plots and the bytes of each library. */
  readonly page: string
  /** For the figures behind them, which are not kept in git. */
  readonly data: string
}

/** What a run measured. */
export interface RunResults {
  readonly environment: Environment
  readonly effort: Effort
  readonly elapsedMs: number
  readonly results: MeasuredResults
  readonly sections: readonly TitledSection[]
}

/**
 * Writes the page, its plots and the figures behind them.
 *
 * @returns The page.
 */
export async function writeResults(folders: ResultFolders, run: RunResults): Promise<string> {
  const { environment, effort, results } = run
  const { markdown, plots } = choiceSection(results)
  const page = pageOf(markdown, run)
  await mkdir(folders.page, { recursive: true })
  await mkdir(folders.data, { recursive: true })
  await writeFile(join(folders.page, 'README.md'), page)
  await writeJson(join(folders.data, 'results.json'), { environment, effort, results })
  for (const [name, plot] of Object.entries(plots)) {
    await writeFile(join(folders.page, `${name}.svg`), plot)
  }
  if (results.start) {
    // Other documents quote them, and are checked against them.
    const sizes = results.start.costs.map(({ name, imports, platform, bytes }) => ({
      name,
      imports,
      platform,
      bytes,
    }))
    await writeJson(join(folders.page, 'sizes.json'), sizes)
  }
  return page
}

function pageOf(
  choices: string,
  { environment, effort, elapsedMs, results, sections }: RunResults,
): string {
  const { date, cpu, cores, memoryGiB, system, loadBefore, versions } = environment
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const targets = targetsSection(results)
  const body = [
    ...sections,
    {
      title: 'How it was measured',
      markdown: `By \`npx --yes pnpm@12.21.0 bench\` (${effort.name}, ${duration(elapsedMs)}) on ${date}: ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, load
${loadBefore.toFixed(2)} before the run. Contenders take turns, round by round; figures are medians of the rounds, and ratios are medians of
the ratios within a round. A run writes the data behind this page to \`dist/results\`.

${installed.join(', ')}.`,
    },
    ...(targets ? [{ title: 'Targets', markdown: targets }] : []),
  ]
  const text = body.map(({ title, markdown }) => `## ${title}\n\n${markdown}\n`).join('\n')
  return `# Speed, memory and size\n\n${choices ? `${choices}\n\n` : ''}${text}`
}

function writeJson(path: string, value: unknown): Promise<void> {
  return writeFile(path, `${JSON.stringify(value, undefined, 1)}\n`)
}
