import { describe, expect, test } from 'vitest'
import { anchorsHere, partsOf, releaseLine } from '../src/documents/compose.ts'
import { type Move, moveLinks } from '../src/documents/links.ts'
import { sectionsOf, takeSection } from '../src/documents/sections.ts'
import { describeGuide, sitePages } from '../src/pages.ts'

const images: string[] = []
const move = (document: string, address: string, here: Move['here'] = new Map()): Move => ({
  document,
  address,
  here,
  pages: sitePages(),
  takeImage: (path) => {
    images.push(path)
    return 'figures/image.svg'
  },
})

describe('a section', () => {
  const text = '# A\n\n## B `c`\n\n```sh\n# no heading\n```\n\n### D\n\ntext\n\n## B `c`\n'

  test('ends at the next heading of its level, and has the anchor of GitHub', () => {
    expect(sectionsOf(text).map(({ slug, end }) => [slug, end])).toEqual([
      ['a', 14],
      ['b-c', 12],
      ['d', 12],
      ['b-c-1', 14],
    ])
  })

  test('is taken at level two, with its code as it is', () => {
    expect(takeSection(text, 'd')).toBe('## D\n\ntext')
    expect(takeSection(text, 'b-c')).toContain('```sh\n# no heading\n```\n\n### D')
  })

  test('that is not there is an error', () => {
    expect(() => takeSection(text, 'e')).toThrow('there is no section #e')
  })
})

test('the first sentence of a quotation is a quotation', () => {
  const text = '# Tabs\n\n"Each tab logs in. Then all end."\n\nThis ends that.\n'
  expect(describeGuide(text)).toEqual({ title: 'Tabs', text: '"Each tab logs in."' })
})

describe('a link', () => {
  test.each([
    ['a document', '../types/README.md#errors', './types.md#errors'],
    ['a heading of the same document', '#install', '#install'],
    [
      'a document, as npm shows it',
      'https://github.com/svc-auth/svc-auth/blob/main/docs/cli.md#fetch',
      '../cli.md#fetch',
    ],
    [
      'a folder, as npm shows it',
      'https://github.com/svc-auth/svc-auth/tree/main/packages/types#readme',
      './types.md',
    ],
    ['the repository', 'https://github.com/svc-auth/svc-auth#readme', '../overview.md'],
    [
      'a source',
      '../../examples/lib/service.ts',
      'https://github.com/svc-auth/svc-auth/blob/main/examples/lib/service.ts',
    ],
    [
      'a folder of sources',
      '../../examples/nextjs',
      'https://github.com/svc-auth/svc-auth/tree/main/examples/nextjs',
    ],
    ['another site', 'https://example.com/a.md', 'https://example.com/a.md'],
    [
      'what only GitHub has',
      'https://github.com/svc-auth/svc-auth/security/advisories/new',
      'https://github.com/svc-auth/svc-auth/security/advisories/new',
    ],
    ['the inspector', '/inspector/', '../inspector/'],
    ['the folder of the inspector', '../../site/inspector/', '../inspector/'],
  ])('to %s is moved with its page', (_kind, link, moved) => {
    const there = move('packages/cli/README.md', 'packages/cli')
    expect(moveLinks(`see [it](${link}).`, there)).toBe(`see [it](${moved}).`)
  })

  test('stays as it is in code', () => {
    const code = '```md\n[it](nowhere.md)\n```'
    expect(moveLinks(code, move('README.md', 'overview'))).toBe(code)
  })

  test('to a file that is not there is an error', () => {
    expect(() => moveLinks('[it](nowhere.md)', move('README.md', 'overview'))).toThrow('nowhere.md')
  })

  test('to a picture takes the picture along', () => {
    const there = move('benchmarks/results/README.md', 'speed')
    expect(moveLinks('![it](bytes.svg)', there)).toBe('![it](./figures/image.svg)')
    expect(images).toEqual(['benchmarks/results/bytes.svg'])
  })
})

test('a page links to a section that it took itself, and to the page of one that it did not', () => {
  const document = 'site/a.md'
  const taken = '<!-- take packages/auth-token/README.md#with-ky -->'
  const parts = partsOf(document, `# A\n\n${taken}`)
  const [, part] = parts
  const here = anchorsHere(parts)
  const text = '[a](#with-ky) [b](#options)'
  expect(part?.text).toMatch(/^## With ky\n/)
  expect(moveLinks(text, move('packages/auth-token/README.md', 'guides/a', here))).toBe(
    '[a](#with-ky) [b](../packages/auth-token.md#options)',
  )
})

test('the front page takes the first snippets of the README', () => {
  const take = (choice: string): string | undefined =>
    partsOf('x.md', `<!-- take ${choice} -->`)[1]?.text
  expect(take('README.md#:js')).toMatch(/^```js\nimport [^]*\n```$/)
  expect(take('README.md#:opening')).toMatch(
    /^!\[svc-auth\]\(docs\/images\/mark.svg\)\n\nLogin tokens[^]*\.$/,
  )
  expect(() => take('README.md#:rust')).toThrow('README.md has no :rust')
})

test.each([
  ['0.0.0', 'Not released yet: the packages are not on npm.'],
  ['0.1.0', 'Version 0.1.0 ([changes](/changelog.html)).'],
])('the front page says of version %s if it is released', (version, line) => {
  expect(releaseLine(JSON.stringify({ version, license: 'MIT' }))).toBe(
    `${line} Open source, [MIT license](https://github.com/svc-auth/svc-auth/blob/main/LICENSE).`,
  )
})
