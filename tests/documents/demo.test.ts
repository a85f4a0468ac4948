import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultApiKeys, defaultUsers } from '@svc/emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { pnpmCommand } from '../../scripts/release/pnpm.ts'
import { hasProgram } from '../support/needs.ts'
import { run } from '../support/run-program.ts'

const root = join(import.meta.dirname, '../..')
const node20 = join(root, 'tests/node_modules/node20/bin/node')
const manifest = readFileSync(join(root, 'package.json'), 'utf8')
const [, command = ''] = /"demo": "node (.+?)"/.exec(manifest) ?? []

/** The packages that the demo needs, and no others: more would make the first command of the README slower. */
const needed = ['@swc/wasm-typescript', 'jose', 'ky']

const runtimes = [
  { runtime: 'this Node', node: process.execPath },
  // It takes no TypeScript.
  { runtime: 'Node 20', node: node20 },
].filter(({ node }) => existsSync(node))

describe.each(runtimes)('the demo in $runtime', ({ node }) => {
  const demo = spawnSync(node, command.split(' '), { cwd: root, encoding: 'utf8', timeout: 30_000 })
  const output = demo.stdout + demo.stderr

  test('ends with 0, every step as expected', () => {
    expect(demo.stderr).toBe('')
    expect(output).toMatch(/^(\d+) of \1 steps as expected, 3 logins\.$/m)
    expect(output).not.toContain('✗')
    expect(demo.status).toBe(0)
  })

  test('prints a table of what was sent, by which scheme, and what that added', () => {
    expect(output).toMatch(/^Step +Client +Request as sent +Scheme +Headers added +Status$/m)
    expect(output).toMatch(/ky +POST \/user\/login +login +x-svc-route-token: login +200$/m)
    expect(output).toMatch(/GET \/user\/groups +token +x-svc-security-token: \[redacted\] +401$/m)
    expect(output).toMatch(/sigv4 +x-amz-date: \d{8}T\d{6}Z +503$/m)
    expect(output).toContain('authorization: AWS4-HMAC-SHA256 …[redacted]')
    expect(output).toContain('PUT /V1/a%2Bb%20%26%20')
  })

  test('has no escape code where there is no terminal', () => {
    expect(output).not.toContain('\u001B')
  })

  test('shows no token, password, secret or signature', () => {
    const secrets = [...defaultUsers, ...defaultApiKeys].map((account) =>
      'password' in account ? account.password : account.secretAccessKey,
    )
    expect(secrets).toHaveLength(3)
    for (const secret of [...secrets, 'eyJ', 'Signature=']) expect(output).not.toContain(secret)
    // A column breaks what is longer, such as a hash of 64 digits.
    expect(output).not.toMatch(/[0-9a-f]{20}/)
  })

  test('ends by saying what to read next', () => {
    expect(output.trimEnd().split('\n').slice(-2).join('\n')).toMatch(/README.*\n.*ARCHITECTURE/)
  })
})

describe('the demo in a fresh clone', () => {
  const hasRegistry = hasProgram(
    'the registry of npm',
    ['npm', 'view', 'ky', 'version'],
    'a connection',
  )

  test('needs few packages, as the lockfile has them', () => {
    expect(productionPackages('examples/demo')).toEqual(needed)
  })

  test.skipIf(!hasRegistry)('installs these and runs', { timeout: 120_000 }, async () => {
    const home = await mkdtemp(join(tmpdir(), 'fresh-clone-'))
    onTestFinished(() => rm(home, { recursive: true }))
    const { stdout: listed } = await run('git', [
      '-C',
      root,
      'ls-files',
      '-co',
      '--exclude-standard',
    ])
    const files = listed.split('\n').filter((file) => existsSync(join(root, file)))
    for (const file of files.filter(Boolean)) await cp(join(root, file), join(home, 'clone', file))

    const [program, ...args] = [...pnpmCommand, `--dir=${join(home, 'clone')}`, 'demo']
    const environment = {
      HOME: home,
      XDG_DATA_HOME: home,
      // pnpm itself is not fetched again.
      npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    }
    const { status, stdout, stderr } = await run(program, args, '', environment)
    expect(stdout + stderr).toContain('10 of 10 steps as expected')
    expect(status).toBe(0)
    const installed = readdirSync(join(home, 'clone/node_modules/.pnpm'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.includes('@'))
      .map(({ name }) => name.replace(/(?<=.)@.*/, '').replace('+', '/'))
    expect(installed.sort()).toEqual(needed)
  })
})

interface Importer {
  readonly dependencies?: Readonly<Record<string, { readonly version: string }>>
}

interface Lockfile {
  readonly importers: Readonly<Record<string, Importer>>
  readonly snapshots: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>
  >
}

/** The names of everything that a workspace needs to run, as `pnpm install --prod --no-optional` takes it. */
function productionPackages(workspace: string): string[] {
  // pnpm wrote it.
  const lockfile = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) as Lockfile
  const names = new Set<string>()
  const follow = (name: string, version: string): void => {
    if (names.has(name)) return
    names.add(name)
    const { dependencies = {} } = lockfile.snapshots[`${name}@${version}`] ?? {}
    for (const [other, its] of Object.entries(dependencies)) follow(other, its)
  }
  const seen = new Set<string>()
  const visit = (importer: string): void => {
    if (seen.has(importer)) return
    seen.add(importer)
    const { dependencies = {} } = lockfile.importers[importer] ?? {}
    for (const [name, { version }] of Object.entries(dependencies)) {
      if (version.startsWith('link:')) visit(join(importer, version.slice('link:'.length)))
      else follow(name, version)
    }
  }
  visit(workspace)
  return [...names].sort()
}
