import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'

/** The fields of a package.json, and of the settings of the workspace, that name versions. */
interface Manifest {
  readonly name?: string
  readonly private?: boolean
  readonly engines?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly catalog?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '../..')
const page = read('docs/versions.md')
const packages = globSync('packages/*/package.json', { cwd: root }).map(readManifest)
// Copies that the tests only try in order to see them refused.
const old = /^(?:axios0|axios16|got11|got13|ky0|openapi-fetch08|undici5|undici6|typescript)$/
const tested = testedVersions()

/** The rows of the table below a heading, by their first cell. */
function rowsOf(heading: string): Map<string, readonly string[]> {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (.+) \|$/gm)].slice(2)
  const cells = rows.map(([, row = '']) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  return new Map(cells.map(([first = '', ...others]) => [first.replaceAll('`', ''), others]))
}

describe('the runtimes of docs/versions.md', () => {
  const rows = rowsOf('Runtimes')

  test('are those of the table of docs/compatibility.md', () => {
    const table = read('docs/compatibility.md').split('<!-- matrix:runtimes -->')[1] ?? ''
    const [head = ''] = table.trim().split('\n')
    const runtimes = head.split('|').map((cell) => cell.trim())
    const nodes = runtimes.flatMap((name) => /^Node (\d+)$/.exec(name)?.[1] ?? [])
    expect(rows.get('Node')?.[0]).toBe(nodes.join(', '))
    const others = runtimes.filter((name) => name !== '' && !name.startsWith('Node'))
    expect(
      others.filter(
        (name) => !/^(?:Bun|Deno|Cloudflare Workers|Chromium|Web Worker|React Native)/.test(name),
      ),
    ).toEqual([])
    expect([...rows.keys()]).toEqual([
      'Node',
      'Bun',
      'Deno',
      'Cloudflare Workers (workerd)',
      'browsers',
      'React Native',
    ])
  })

  test('are those that the manifests of the packages admit, and the tests install', () => {
    const engines = packages.map(({ name, engines: { node } = {} }) => [name, node])
    const [[, lowest] = []] = engines
    const own = engines.filter(([, node]) => node !== lowest)
    expect(page).toContain(`\`engines\` of every package is \`${lowest}\``)
    expect(own.map(([name, node]) => page.includes(`that of \`${name}\` \`${node}\``))).toEqual([
      true,
    ])
    expect(rows.get('Node')?.[0]).toMatch(new RegExp(`^${lowest?.replace('>=', '')}, `))
    const { dependencies = {} } = readManifest('tests/other-runtimes/package.json')
    expect(rows.get('Bun')?.[0]).toBe(lineOf(dependencies['bun'] ?? ''))
    expect(rows.get('Deno')?.[0]).toBe(lineOf(dependencies['deno'] ?? ''))
  })

  test('name the version of React Native that its page names', () => {
    const first = rows.get('React Native')?.[0]?.replace(' and', ' or')
    expect(read('docs/react-native.md')).toContain(`React Native ${first}`)
  })
})

describe('the clients and peers of docs/versions.md', () => {
  const rows = rowsOf('Clients and peers')

  test('have the ranges of the manifests, and none is missing', () => {
    const ranges = new Map(packages.flatMap((one) => Object.entries(one.peerDependencies ?? {})))
    const named = [...rows].flatMap(([name, [, range = '']]) =>
      range === '' ? [] : [[name, range.replaceAll('`', '').replaceAll('\\', '')] as const],
    )
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(ranges))
  })

  test.each([...rows].filter(([name]) => name !== 'typescript'))(
    'has for %s the lines that the tests run',
    (name, [cell = '']) => {
      const versions = tested.get(name) ?? []
      const lines = [...new Set(versions.map(lineOf))].join(', ')
      const oldest = versions[0]?.split('.').slice(0, 2).join('.')
      expect([lines, `${lines}, from ${oldest}`]).toContain(cell)
    },
  )

  test('has the oldest TypeScript that the tests compile with', () => {
    const [oldest = ''] = tested.get('typescript') ?? []
    expect(rows.get('typescript')?.[0]).toBe(`${oldest.split('.').slice(0, 2).join('.')} and later`)
  })
})

/** Returns the versions of each package that a workspace has, under whatever name, from the oldest on. */
function testedVersions(): Map<string, string[]> {
  const manifests = [
    // As pnpm reads it.
    parse(read('pnpm-workspace.yaml')) as Manifest,
    ...packages,
    ...['tests', 'tests/neighbours', 'tests/other-runtimes'].map((path) =>
      readManifest(`${path}/package.json`),
    ),
  ]
  const versions = new Map<string, string[]>()
  for (const { catalog, dependencies, devDependencies, optionalDependencies } of manifests) {
    const all = { ...catalog, ...dependencies, ...devDependencies, ...optionalDependencies }
    for (const [alias, specifier] of Object.entries(all)) {
      const [, name = alias, version = ''] = /^(?:npm:(.+)@)?(\d.+)$/.exec(specifier) ?? []
      if (version === '' || old.test(alias)) continue
      versions.set(name, [...(versions.get(name) ?? []), version].sort(byVersion))
    }
  }
  return versions
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** Returns the part of a version that changes with a breaking release. */
function lineOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return major === '0' ? `0.${minor}` : major
}

function readManifest(path: string): Manifest {
  // A manifest of this very repository.
  return JSON.parse(read(path)) as Manifest
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
