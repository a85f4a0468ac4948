import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { atNight } from '../support/nightly.ts'
import { typescript59 } from '../support/other-runtimes.ts'
import { run } from '../support/run-program.ts'
import { type Entry, entries } from './entries.ts'

const root = join(import.meta.dirname, '../..')
const own = join(root, 'tests')
// Below the workspace, so that it finds the others as a user's project does.
const folder = join(own, 'node_modules/.cache/consumers')

const web = {
  platform: 'the web platform',
  types: { lib: ['ES2022', 'DOM'], types: [] },
  imports: ({ runsOn }: Entry) => runsOn === 'web',
}
const node = {
  platform: 'Node',
  types: { lib: ['ES2022'], types: ['node'] },
  imports: ({ runsOn }: Entry) => runsOn !== 'peer',
}
const bundler = {
  resolution: 'bundler',
  modules: { module: 'ESNext', moduleResolution: 'bundler' },
}
const nodenext = {
  resolution: 'nodenext',
  modules: { module: 'NodeNext', moduleResolution: 'nodenext' },
}

// Every setup at both ends of the range, and between them the two that are usual: a run takes seconds. A short run
// has the usual ones of the latest.
const usual = [
  { ...web, ...bundler },
  { ...node, ...nodenext },
]
const all = [...usual, { ...web, ...nodenext }, { ...node, ...bundler }]
const consumers = [
  {
    version: '5.4',
    compiler: 'tests/node_modules/typescript54',
    setups: atNight(all, []),
  },
  { version: '5.9', compiler: typescript59, setups: atNight(usual, []) },
  { version: '6.0', compiler: 'tests/node_modules/typescript60', setups: atNight(usual, []) },
  { version: '7.0', compiler: 'node_modules/typescript', setups: atNight(all, usual) },
].flatMap(({ setups, ...compiler }) => setups.map((setup) => ({ ...compiler, ...setup })))

test('every entry of the packages has a consumer', () => {
  const written = globSync('packages/*/package.json', { cwd: root }).flatMap((path): string[] => {
    // A manifest of this very repository.
    const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
      name: string
      exports: Record<string, string | { '@svc/source': string }>
    }
    return Object.entries(exports).flatMap(([subpath, target]) =>
      typeof target === 'object' && existsSync(join(root, path, '..', target['@svc/source']))
        ? [`${name}${subpath.slice(1)}`]
        : [],
    )
  })
  expect(entries.map(({ name }) => name).sort()).toEqual(written.sort())
})

describe.concurrent('the types compile', () => {
  test.each(consumers)(
    'with TypeScript $version and the types of $platform alone, resolved as $resolution does',
    { timeout: 180_000 },
    async ({ version, compiler, platform, types, imports, resolution, modules }) => {
      const project = join(folder, `${version}-${platform}-${resolution}`.replaceAll(' ', '-'))
      mkdirSync(project, { recursive: true })
      const lines = entries
        .filter(imports)
        .map(({ name }, index) => `export * as entry${index} from '${name}'\n`)
      writeFileSync(join(project, 'entries.mts'), lines.join(''))
      const compilerOptions = {
        ...types,
        ...modules,
        target: 'ES2022',
        strict: true,
        skipLibCheck: false,
        typeRoots: [join(root, 'node_modules/@types')],
        // Files that have not changed since the last run are not checked again.
        incremental: true,
        noEmit: true,
      }
      const files = ['entries.mts', join(own, 'runtimes/consumers/usage.ts')]
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))

      const tsc = join(root, compiler, 'bin/tsc')
      const { status, stdout } = await run(process.execPath, [tsc, '-p', project])
      expect(stdout).toBe('')
      expect(status).toBe(0)
    },
  )
})
