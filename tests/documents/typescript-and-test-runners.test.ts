import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { packPackages } from '../../scripts/release/pack-packages.ts'
import { readTarball } from '../../scripts/release/packed-package.ts'
import { nodes } from '../runtimes/battery/each-node.ts'
import { hasProgram } from '../support/needs.ts'
import { atNight, isNightly } from '../support/nightly.ts'
import { typescript59 } from '../support/other-runtimes.ts'
import { type Finished, run } from '../support/run-program.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/typescript-and-test-runners.md'), 'utf8')

/** The files that the page shows, by their path. */
const shown = new Map(
  [...page.matchAll(/^```\w+ title="(.+?)"\n(.*?)^```$/gms)].map(
    ([, path = '', text = '']) => [path, text] as const,
  ),
)

/** What else a project has, from where this repository has it. */
const others = {
  '@babel/plugin-transform-modules-commonjs':
    'tests/node_modules/@babel/plugin-transform-modules-commonjs',
  '@types/jest': 'tests/node_modules/@types/jest',
  '@types/node': 'node_modules/@types/node',
  '.bin/jest': 'tests/node_modules/jest/bin/jest.js',
  jest: 'tests/node_modules/jest',
  jose: 'packages/emulator/node_modules/jose',
  'ts-jest': 'tests/node_modules/ts-jest',
  typescript: 'tests/node_modules/typescript60',
  vitest: 'node_modules/vitest',
}

const compilers = {
  '5.4': 'tests/node_modules/typescript54',
  '5.9': typescript59,
  '7.0': 'node_modules/typescript',
}
type Version = keyof typeof compilers
const hasTypeScript59 = hasProgram(
  'TypeScript 5.9',
  [process.execPath, join(root, typescript59, 'bin/tsc'), '--version'],
  'pnpm install',
)

/** Both ends of what can `require` an ES module, by day the first. */
const runnable = atNight(['Node 20', 'Node 24'], ['Node 20'])
  .map((name) => ({ name, node: nodes[name] ?? '' }))
  .filter(({ name, node }) => hasProgram(name, [node, '--version'], 'an install on Linux with x64'))

// Compilers take their time on a machine that is busy.
const timeout = 120_000

let folder: string
beforeAll(async () => {
  // Outside of the repository, so that nothing is found but what is installed.
  folder = await realpath(await mkdtemp(join(tmpdir(), 'test-runners-')))
  const modules = join(folder, 'node_modules')
  for (const path of await packPackages(folder)) {
    const { manifest, files } = await readTarball(path)
    for (const [file, text] of files) write(join(modules, manifest.name, file), text)
  }
  for (const [name, path] of Object.entries(others)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, path), join(modules, name))
  }
}, timeout)
afterAll(() => rm(folder, { recursive: true }))

test('the page shows the files that are tested here', () => {
  expect([...shown.keys()].sort()).toEqual([
    'bundler/tsconfig.json',
    'commonjs/tsconfig.json',
    'esm/tsconfig.json',
    'jest-babel/babel.config.json',
    'jest-babel/package.json',
    'jest/groups.test.js',
    'jest/package.json',
    'ts-jest/package.json',
    'ts-jest/tsconfig.json',
    'vitest/fake-timers.test.js',
  ])
})

test('the page names the versions that are tested here', () => {
  for (const [title, path] of Object.entries({
    Jest: others.jest,
    'ts-jest': others['ts-jest'],
    Vitest: others.vitest,
  })) {
    const manifest = readFileSync(join(root, path, 'package.json'), 'utf8')
    const [, version] = /"version": "(\d+\.\d+)\./.exec(manifest) ?? []
    expect(page).toContain(`${title} ${version}`)
  }
})

// Other tests compile every entry with every TypeScript, so that here the latest and the first that knows will do.
describe('TypeScript', { timeout }, () => {
  test('compiles ES modules, which run', async () => {
    const project = projectOf('esm', {
      'package.json': '{ "type": "module" }',
      'tsconfig.json': shownFile('esm/tsconfig.json'),
      'service.ts': program,
    })
    expect(await compile('7.0', project)).toEqual(compiled)
    for (const { node } of runnable) expect(await runService(node, project)).toEqual(worked)
  })

  test('compiles for a bundler', async () => {
    const project = projectOf('bundler', {
      'tsconfig.json': shownFile('bundler/tsconfig.json'),
      'service.ts': "export { createTokenAuth } from '@svc/auth-token'\n",
    })
    expect(await compile('7.0', project)).toEqual(compiled)
  })

  test.each<Version>(atNight(['5.9', '7.0'], ['7.0']))(
    '%s compiles CommonJS, which runs',
    async (version) => {
      const project = projectOf(`commonjs-${version}`, {
        'package.json': '{}',
        'tsconfig.json': shownFile('commonjs/tsconfig.json'),
        'service.ts': program,
      })
      expect(await compile(version, project)).toEqual(compiled)
      const written = readFileSync(join(project, 'service.js'), 'utf8')
      expect(written).toContain('require("@svc/auth-token")')
      for (const { node } of runnable) expect(await runService(node, project)).toEqual(worked)
    },
  )

  test.each<Version>(atNight(['5.4'], []))(
    '%s compiles `await import()` in CommonJS, which runs',
    async (version) => {
      const project = projectOf(`commonjs-${version}`, {
        'package.json': '{}',
        'tsconfig.json': shownFile('commonjs/tsconfig.json'),
        'service.ts': program
          .replaceAll(/^import .+\n/gm, '')
          .replace('{\n', () => `{\n${dynamicImports}`),
      })
      expect(await compile(version, project)).toEqual(compiled)
      for (const { node } of runnable) expect(await runService(node, project)).toEqual(worked)
    },
  )

  test.for<[what: string, version: Version, settings: object]>([
    ['CommonJS as Node 16 had it', '7.0', { module: 'node16' }],
    ['CommonJS as Node 18 had it', '7.0', { module: 'node18' }],
    ['the resolution of Node 10', '5.9', { module: 'commonjs', moduleResolution: 'node10' }],
    [
      'no types of a platform',
      '7.0',
      { module: 'nodenext', lib: ['es2022'], types: [], skipLibCheck: false },
    ],
  ])('says of %s what the page says', async ([what, version, settings], { skip }) => {
    skip(version === '5.9' && !hasTypeScript59, 'TypeScript 5.9 is missing')
    const project = projectOf(what.replaceAll(' ', '-'), {
      'package.json': '{}',
      'tsconfig.json': JSON.stringify({
        compilerOptions: { target: 'es2022', skipLibCheck: true, ...settings },
      }),
      'service.ts': "import { authFetch } from '@svc/auth-token'\nvoid authFetch\n",
    })
    const { stdout } = await compile(version, project)
    expect(rows.filter(([code, words]) => stdout.includes(code) && stdout.includes(words))).toEqual(
      [expect.anything()],
    )
  })
})

describe('Jest', { timeout }, () => {
  test('does not load ES modules by default, as the page says', async () => {
    const { status, stderr } = await jest('jest-default', {
      'package.json': '{ "scripts": { "test": "jest" } }',
      'groups.test.js': shownFile('jest/groups.test.js'),
    })
    expect(status).toBe(1)
    const [, said = 'nothing'] = /stops with `(.+?)`/.exec(page) ?? []
    expect(stderr).toContain(said)
  })

  test.runIf(isNightly)('runs with the flag, as CommonJS and as ES modules', async () => {
    const manifest = shownFile('jest/package.json')
    const commonjs = await jest('jest', {
      'package.json': manifest,
      'groups.test.js': shownFile('jest/groups.test.js'),
      'sockets.test.js': asCommonJs(sockets),
    })
    expect(commonjs.stderr).toContain('Tests:       2 passed, 2 total')
    const esm = await jest('jest-esm', {
      'package.json': manifest.replace('{', '{ "type": "module",'),
      'sockets.test.js': sockets,
    })
    expect(esm.stderr).toContain('Tests:       1 passed, 1 total')
  })

  test('runs with Babel', async () => {
    const { stderr } = await jest('jest-babel', {
      'package.json': shownFile('jest-babel/package.json'),
      'babel.config.json': shownFile('jest-babel/babel.config.json'),
      'groups.test.js': shownFile('jest/groups.test.js'),
      'sockets.test.js': sockets,
    })
    expect(stderr).toContain('Tests:       2 passed, 2 total')
  })

  test.runIf(isNightly)('runs with ts-jest', async () => {
    const { stderr } = await jest('ts-jest', {
      'package.json': shownFile('ts-jest/package.json'),
      'tsconfig.json': shownFile('ts-jest/tsconfig.json'),
      'sockets.test.ts': sockets,
    })
    expect(stderr).toContain('Tests:       1 passed, 1 total')
  })
})

describe('Vitest', { timeout }, () => {
  const pools = atNight(['forks', 'threads', 'vmForks', 'vmThreads'], ['threads'])
  test.each(pools)('runs in the pool %s', async (pool) => {
    const project = projectOf(`vitest-${pool}`, {
      'package.json': '{ "type": "module" }',
      'fake-timers.test.js': shownFile('vitest/fake-timers.test.js'),
      'sockets.test.js': `import { expect, test } from 'vitest'\n${sockets}`,
    })
    const vitest = join(folder, 'node_modules/vitest/vitest.mjs')
    const args = [vitest, 'run', '--root', project, '--pool', pool]
    const { stdout } = await run(process.execPath, args, '', { NO_COLOR: '1' })
    expect(page).toContain(`\`${pool}\``)
    expect(stdout).toContain('Tests  3 passed (3)')
  })
})

const program = `import { authFetch, createTokenAuth } from '@svc/auth-token'
import { createEmulator, defaultUsers } from '@svc/emulator'

async function main(): Promise<void> {
  const service = await createEmulator().listen()
  const auth = createTokenAuth({ baseUrl: service.url, credentials: defaultUsers[0] })
  const response = await authFetch(auth, { baseUrl: service.url })('/user/groups')
  console.log(response.status)
  await service.close()
}

void main()
`
const dynamicImports = `  const { authFetch, createTokenAuth } = await import('@svc/auth-token')
  const { createEmulator, defaultUsers } = await import('@svc/emulator')
`
const compiled = { status: 0, stdout: '', stderr: '' }
const worked = { status: 0, stdout: '200\n', stderr: '' }

/** Real sockets, bytes, a signature and an error, each of which crosses the realm of a test. */
const sockets = `import { AuthError, authFetch, createSigV4Auth } from '@svc/auth-sigv4'
import { createEmulator, defaultApiKeys } from '@svc/emulator'

test('a report is stored and read', async () => {
  const service = await createEmulator().listen()
  const baseUrl = service.url
  const auth = createSigV4Auth({ baseUrl, region: 'us-east-1', credentials: defaultApiKeys[0] })
  const serviceFetch = authFetch(auth)
  const report = new URL('/V1/report.csv', baseUrl)
  const bodies = ['a;b', new TextEncoder().encode('a;b'), new Blob(['a;b']), new Uint8Array([97, 59, 98]).buffer]
  for (const body of bodies) {
    expect((await serviceFetch(report, { method: 'PUT', body })).status).toBe(200)
    const signal = AbortSignal.timeout(10_000)
    expect(await (await serviceFetch(new Request(report), { signal })).text()).toBe('a;b')
  }
  const error = await serviceFetch('https://elsewhere.example').catch((reason) => reason)
  expect(error).toBeInstanceOf(AuthError)
  expect(error.code).toBe('ERR_AUTH_ORIGIN')
  await service.close()
})
`

/** The rows of the page's table of messages: the code and the words. */
const rows = [...page.matchAll(/^\| `(TS\d+)`, "(.+?)"/gm)].map(
  ([, code = '', words = '']) => [code, words] as const,
)

function shownFile(path: string): string {
  const text = shown.get(path)
  if (text === undefined) throw new Error(`the page has no ${path}`)
  return text
}

function projectOf(name: string, files: Readonly<Record<string, string>>): string {
  const project = join(folder, name)
  for (const [file, text] of Object.entries(files)) write(join(project, file), text)
  return project
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function compile(version: Version, project: string): Promise<Finished> {
  return run(process.execPath, [join(root, compilers[version], 'bin/tsc'), '-p', project])
}

function runService(node: string, project: string): Promise<Finished> {
  return run(node, ['--disable-warning=ExperimentalWarning', join(project, 'service.js')])
}

function asCommonJs(text: string): string {
  return text.replaceAll(/^import (.+) from (.+)$/gm, 'const $1 = require($2)')
}

/** Runs Jest by the script of a project's package.json. */
function jest(name: string, files: Readonly<Record<string, string>>): Promise<Finished> {
  const project = projectOf(name, files)
  symlinkSync('../node_modules', join(project, 'node_modules'))
  return run('npm', ['test', '--prefix', project])
}
