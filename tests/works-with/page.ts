import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { betweenMarks, markdownTable } from '../support/markdown-table.ts'
import { libraries } from './libraries.ts'
import type { Neighbour, Topic } from './neighbour.ts'
import { tools } from './tools.ts'

const tests = join(import.meta.dirname, '..')
const root = join(tests, '..')

/** The page, by its path in the repository. */
export const page = 'docs/works-with.md'

/** The sections of the page. */
export const topics: readonly Topic[] = [...libraries, ...tools]

/** Returns the page with its table and sections as they have to be. */
export function writePage(): string {
  const text = readFileSync(join(root, page), 'utf8')
  const content = [tableOfAll(), ...topics.map(sectionOf)].join('\n\n')
  return betweenMarks(text, '<!-- neighbours -->', '<!-- /neighbours -->', content)
}

/** Returns the code that a test shows of a neighbour, without its indentation. */
export function codeOf({ test, source = test, region }: Neighbour): string {
  const text = readFileSync(join(tests, source), 'utf8')
  const inCode = `// #region ${region}\n(.*?)\n *// #endregion`
  const inDocument = `title="${region}"\n(.*?)\n\`\`\``
  const [, code] = new RegExp(source.endsWith('.md') ? inDocument : inCode, 's').exec(text) ?? []
  if (code === undefined) throw new Error(`${source} has no region ${region}`)
  const [indentation = ''] = /^ */.exec(code) ?? []
  return code.replaceAll(new RegExp(`^${indentation}`, 'gm'), '')
}

/** Returns `true` for what an install of the repository leaves out. */
export function isOfTheNight({ test }: Neighbour): boolean {
  return test.startsWith('neighbours/')
}

function tableOfAll(): string {
  const versions = pinnedVersions()
  const versionOf = (name: string): string => {
    const version = versions[name]
    if (version === undefined) throw new Error(`no manifest of the tests pins ${name}`)
    return version
  }
  const rows = topics.flatMap(({ title, neighbours }) =>
    neighbours.map((neighbour, index) => [
      index === 0 ? title : '',
      neighbour.name,
      neighbour.packages.map(versionOf).join(', '),
      `[${neighbour.test.replace(/^.*\//, '')}](../tests/${neighbour.test})`,
      isOfTheNight(neighbour) ? 'every night' : 'every run',
    ]),
  )
  return markdownTable([['', 'neighbour', 'tried with', 'test', 'runs'], ...rows])
}

function sectionOf({ title, tried, neighbours }: Topic): string {
  const parts = neighbours.map((neighbour) => {
    const { name, source = neighbour.test, region, notes = [] } = neighbour
    const language = /\w+$/.exec(source.endsWith('.md') ? region : source)?.[0] ?? ''
    const code = `\`\`\`${language}\n${codeOf(neighbour)}\n\`\`\``
    const lines = notes.map((line) => `- ${line}`).join('\n')
    return [`### ${name}`, code, ...(lines ? [lines] : [])].join('\n\n')
  })
  return [`## ${title}`, tried, ...parts].join('\n\n')
}

/** Returns the versions that are pinned where the tests run, installed or not, by the name of the package. */
function pinnedVersions(): Readonly<Record<string, string>> {
  const { catalog } = readManifest('pnpm-workspace.yaml')
  const manifests = globSync(
    ['package.json', 'tests/{,clients/generators/,neighbours/,neighbours/apps/*/}package.json'],
    { cwd: root },
  ).map(readManifest)
  const pinned = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  )
  return Object.fromEntries(
    pinned.map(([name, version]) => {
      const own = version === 'catalog:' ? catalog?.[name] : version
      return [name, own?.replace(/^npm:.*@/, '') ?? version]
    }),
  )
}

type Dependencies = Readonly<Record<string, string>>

function readManifest(path: string): Readonly<Record<string, Dependencies | undefined>> {
  // Of this very repository. JSON is YAML.
  return parse(readFileSync(join(root, path), 'utf8')) as Record<string, Dependencies>
}
