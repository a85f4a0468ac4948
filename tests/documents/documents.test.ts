import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const options = { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }
const documents = globSync(
  [
    '*.md',
    '.github/*.md',
    'docs/*.md',
    'docs/{guides,coming-from}/*.md',
    '*/README.md',
    'packages/*/README.md',
  ],
  options,
)
const sources = globSync('**/*.{ts,json}', options)
const tests = sources.filter((path) => path.endsWith('.test.ts'))

/** The address at which documents that are read on npm find the others. */
const onGitHub = /^https:\/\/github\.com\/svc-auth\/svc-auth(?:\/(?:tree|blob)\/main\/?)?/

describe.each(documents)('%s', (document) => {
  const text = read(document)

  test('links to files and headings that are there', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !leadsSomewhere(document, link))).toEqual([])
  })

  test('names commands that are there', () => {
    // A mark between which a command writes names it as its own package does.
    const shown = text.replaceAll(/<!-- .* -->/g, '')
    const spelled = [...shown.matchAll(/(?:npx --yes pnpm@[\d.]+|\bpnpm) ([^`\n#|]+)/g)]
    // Commands that a document names in brackets after what they show.
    const named = [...text.matchAll(/\(`((?:test|battery|matrix|size)\b[^`]*)`\)/g)]
    const commands = [...spelled, ...named]
    const broken = commands
      .map(([, command = '']) => command.trim())
      .filter((one) => !runs(document, one))
    expect(broken).toEqual([])
  })
})

test('no page and no message has npx ask the registry for a name that is not ours', () => {
  const manifests = sources.filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))
  const names = manifests.flatMap((path) => Object.keys(JSON.parse(read(path)).bin ?? {}))
  expect(names).toContain('svc-auth')
  const advice = new RegExp(`\\b(?:npx|npm exec)(?: --?[a-z]+)* (?:${names.join('|')})\\b`)
  const texts = [...documents, ...sources.filter((path) => /\/src\//.test(path))]
  expect(texts.filter((path) => advice.test(read(path)))).toEqual([])
})

test.each([
  ['README.md', 6],
  ['ARCHITECTURE.md', 10],
])('%s has at most %i kB', (document, mostKilobytes) => {
  expect(statSync(join(root, document)).size).toBeLessThanOrEqual(mostKilobytes * 1000)
})

test.each(documents.filter((path) => path.startsWith('packages/')))(
  '%s has at most 1 200 words',
  (document) => {
    // Code and addresses are not read as words.
    const prose = read(document)
      .replaceAll(/^```[^]*?^```$/gm, '')
      .replaceAll(/\]\([^)]*\)/g, ']')
    expect(prose.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(1200)
  },
)

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md')

  test('names files and folders that are there', () => {
    const files = text.match(/[\w./-]+\.(?:ts|json)\b/g) ?? []
    const spans = [...text.matchAll(/`([\w./-]+\/[\w./-]+)`/g)].map(([, path = '']) => path)
    const isThere = (path: string): boolean =>
      existsSync(join(root, path)) || sources.some((source) => `/${source}`.endsWith(`/${path}`))
    expect(files.length).toBeGreaterThan(40)
    expect([...files, ...spans].filter((path) => !isThere(path))).toEqual([])
  })

  test('says what each private workspace is', () => {
    const workspaces = read('pnpm-workspace.yaml').match(/(?<=^ {2}- )[\w-]+$/gm) ?? []
    expect(workspaces.length).toBeGreaterThan(3)
    expect(workspaces.filter((name) => !text.includes(`- \`${name}\`: `))).toEqual([])
  })
})

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function leadsSomewhere(from: string, link: string): boolean {
  const isOurs = onGitHub.test(link)
  if (!isOurs && /^https?:/.test(link)) return true
  const [path = '', heading] = link.replace(onGitHub, '').split('#')
  const place = isOurs ? path : path && join(dirname(from), path)
  const target = isOurs || path ? place || 'README.md' : from
  if (!existsSync(join(root, target))) return false
  if (heading === undefined) return true
  const file = target.endsWith('.md') ? target : join(target, 'README.md')
  return heading === 'readme' ? existsSync(join(root, file)) : anchorsOf(read(file)).has(heading)
}

/** The headings of a document as GitHub names them, and the anchors that are set by hand. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  const anchors = [...text.matchAll(/<a id="([^"]+)"/g)].map(([, anchor = '']) => anchor)
  return new Set([...headings, ...anchors])
}

/** Tells if the script of a command is there, in the root or beside the document, and its operands are. */
function runs(document: string, command: string): boolean {
  if (command === 'install') return true
  const [name = '', ...words] = command.replace(/^run /, '').split(/\s+/)
  const manifests = ['package.json', join(dirname(document), 'package.json')]
  if (!manifests.some((manifest) => read(manifest).includes(`"${name}": "`))) return false
  const names = words.filter((word) => !word.startsWith('-'))
  if (name === 'example') return names.every((path) => existsSync(join(root, path)))
  return name !== 'test' || names.every((word) => tests.some((path) => path.includes(word)))
}
