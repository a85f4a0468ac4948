import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repository } from '../release/repository.ts'

/** Files by their paths, with the relative paths that each imports. */
type ImportGraph = ReadonlyMap<string, readonly string[]>

/** A comment that begins its line: within a line, `/*` may stand in a text. */
const comment = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm
const specifier = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^'\n]+)'/g

/**
 * Returns the paths that a file imports: at its top, by `import()` and in `import type`. The linter's
 * `import/no-cycle` leaves out `import()`, and knip leaves out types.
 */
function importsOf(path: string, source: string): readonly string[] {
  const imports = source.replace(comment, '').matchAll(specifier)
  return [...imports].map(([, target = '']) => resolve(dirname(path), target))
}

/** Returns one circle as a chain of files, the first of which stands at its end again. */
function findCircle(graph: ImportGraph): readonly string[] | undefined {
  const done = new Set<string>()
  const visit = (path: string, chain: readonly string[]): readonly string[] | undefined => {
    if (chain.includes(path)) return [...chain.slice(chain.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const target of graph.get(path) ?? []) {
      const circle = visit(target, [...chain, path])
      if (circle) return circle
    }
    done.add(path)
    return undefined
  }
  for (const path of graph.keys()) {
    const circle = visit(path, [])
    if (circle) return circle
  }
  return undefined
}

function readGraph(folder: string): ImportGraph {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
  return new Map(paths.map((path) => [path, importsOf(path, readFileSync(path, 'utf8'))]))
}

const packages = readdirSync(join(repository, 'packages'))

test.each(packages)('no file of %s imports itself by way of others, types included', (name) => {
  const folder = join(repository, 'packages', name, 'src')
  expect(findCircle(readGraph(folder))?.map((path) => relative(folder, path))).toBe(undefined)
})

describe('a circle is seen', () => {
  test.each([
    ['of imports', `import { b } from './b.ts'`],
    ['of types', `import type { B } from './b.ts'`],
    ['through several lines', `import {\n  type B,\n} from './b.ts'`],
    ['of what is exported again', `export type { B } from './b.ts'`],
    ['of what is loaded later', `const load = async () => (await import('./b.ts')).b`],
    ['of types that are named in place', `type B = import('./b.ts').B`],
    ['below a text like a comment', `const rule = 'GET /V1/**'\nimport './b.ts'\n/** The end. */`],
  ])('%s', (_name, line) => {
    const graph = new Map([
      ['/a.ts', importsOf('/a.ts', line)],
      ['/b.ts', importsOf('/b.ts', `import './c.ts'`)],
      ['/c.ts', importsOf('/c.ts', `import type { A } from './a.ts'`)],
    ])
    expect(findCircle(graph)).toEqual(['/a.ts', '/b.ts', '/c.ts', '/a.ts'])
  })

  test('and none in a comment', () => {
    const source = `// from './a.ts'\n/** As in\n * import('./a.ts') */\n`
    expect(importsOf('/a.ts', source)).toEqual([])
  })
})
