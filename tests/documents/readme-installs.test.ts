import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withoutNotices } from '../../scripts/release/npm-notices.ts'
import { guides, readmes, readSnippets } from '../support/readme-snippets.ts'

const root = join(import.meta.dirname, '../..')

/** The entries that need an optional peer, which no package manager installs by itself. */
const peers: Readonly<Record<string, string>> = {
  '@svc/auth-hooks/opentelemetry': '@opentelemetry/api',
  '@svc/auth-sigv4/aws4': 'aws4',
  '@svc/auth-token/mcp': 'oauth4webapi',
  '@svc/auth-sigv4/noble': '@noble/hashes',
  '@svc/emulator/msw': 'msw',
  '@svc/emulator/vitest': 'vitest',
  '@svc/types/schemas': 'valibot',
}

describe.each([...readmes, ...guides, 'docs/typescript-and-test-runners.md'])('%s', (document) => {
  test('says above each snippet how to install what it imports', () => {
    const missing = readSnippets(document).flatMap(({ place, code, above }) => {
      const installed = installedBy(above)
      const names = importedBy(code).flatMap((entry) => [packageOf(entry), peers[entry] ?? []])
      const lacking = names.flat().filter((name) => !installed.has(name))
      return lacking.map((name) => `${place}: ${name}`)
    })
    expect(missing).toEqual([])
  })

  test('says how to install the optional peer of each entry that it names', () => {
    const text = read(document)
    const installed = installedBy(text)
    const needed = Object.entries(peers).filter(([entry]) => text.includes(entry))
    expect(needed.filter(([, peer]) => !installed.has(peer))).toEqual([])
  })
})

test('examples/README.md says how to install what the examples import', () => {
  const cwd = join(root, 'examples')
  const exclude = ['**/node_modules/**', '**/.*/**', 'demo/**']
  const files = globSync('**/*.{ts,tsx}', { cwd, exclude })
  const imported = files.flatMap((file) => importedBy(read(join('examples', file))))
  const installed = installedBy(read('examples/README.md'))
  // Some packages have nothing but types.
  const isInstalled = (name: string): boolean =>
    installed.has(name) || installed.has(`@types/${name}`)
  expect(files.length).toBeGreaterThan(20)
  expect(imported.map(packageOf).filter((name) => !isInstalled(name))).toEqual([])
})

describe('the note that the packages are not on npm', () => {
  const globs = ['{packages/*,examples}/README.md', 'docs/{,guides/,coming-from/}*.md']
  const documents = ['README.md', ...globSync(globs, { cwd: root })]
  const isReleased = !read('packages/service-auth/package.json').includes('"version": "0.0.0"')

  test.runIf(!isReleased)('stands below each install line', () => {
    const without = documents.filter((document) =>
      [...read(document).matchAll(/^```sh\n([^]*?)^```\n\n(.*)/gm)].some(
        ([, lines = '', next = '']) =>
          /npm install .*@svc\//.test(lines) && !next.startsWith('Not on npm yet: '),
      ),
    )
    expect(without).toEqual([])
  })

  test('is gone once `pnpm run version` has given them a version', () => {
    const texts = documents.map((document) =>
      isReleased ? read(document) : withoutNotices(read(document)),
    )
    const left = documents.filter((_, index) =>
      /\bnot (?:yet )?on npm\b|svc-auth-tarballs/i.test(texts[index] ?? ''),
    )
    expect(left).toEqual([])
    expect(texts[0]).toContain('\n\n```sh\nnpm install @svc/service-auth @svc/emulator\n```\n\n')
  })
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The packages that the install lines of a text name. */
function installedBy(text: string): Set<string> {
  const lines = [...text.matchAll(/\bnpm install ([^`\n]+)/g)].map(([, words = '']) => words)
  return new Set(lines.join(' ').split(' ').map(packageOf))
}

/** The entries of packages that code imports: nothing of the runtime's own, and no file beside it. */
function importedBy(code: string): string[] {
  const imports = code.matchAll(/(?:\bfrom |\bimport |\b(?:import|require)\()'([^'.:][^':]*)'/g)
  return [...imports].map(([, entry = '']) => entry)
}

/** The package of an entry such as `@svc/types/schemas`, or of a word such as `typescript@6`. */
function packageOf(entry: string): string {
  return /^(?:@[^/]+\/)?[^/@]+/.exec(entry)?.[0] ?? ''
}
