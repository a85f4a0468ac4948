import { globSync } from 'node:fs'
import { basename, join } from 'node:path'

/** A page of the site and the document that it shows. */
export interface SitePage {
  /** The path below the root of the site, without an ending, such as `guides/streams`. */
  readonly address: string
  /** The path of the document in the repository, such as `packages/types/README.md`. */
  readonly document: string
}

/** The root of the repository. */
export const root: string = join(import.meta.dirname, '../..')

/** The folder of this workspace. */
export const site: string = join(root, 'site')

/** The folder in which the pages lie as VitePress reads them, with their links rewritten. */
export const staged: string = join(site, 'pages')

/** The folder that is hosted. */
export const output: string = process.env['SITE_OUTPUT'] ?? join(site, 'dist')

/** The guides in the order in which they are listed, below what they are about. */
export const guideGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['Start here', ['first-request', 'nextjs', 'express']],
  ['When it fails', ['errors', 'refused-login', 'refused-signature', 'step-up', 'retries']],
  [
    'What you call',
    [
      'aws',
      'aws-recipes',
      'minio-and-ceph',
      'another-service',
      'oauth',
      'dpop',
      'digest',
      'own-routes',
    ],
  ],
  ['Users who sign in', ['command-line-program', 'mcp', 'many-tabs']],
  ['On your servers', ['sessions', 'many-visitors', 'several-processes', 'no-keyring', 'traces']],
  ['Your client', ['your-client', 'axios', 'got', 'undici', 'workers-and-pages']],
  ['Requests', ['streams', 'presigned-links', 'redirects', 'signing']],
  ['Tests and schemes of your own', ['testing', 'emulator', 'own-scheme']],
]

const named: Readonly<Record<string, string>> = {
  'site/front-page.md': 'index',
  'README.md': 'overview',
  'SECURITY.md': 'security',
  'ARCHITECTURE.md': 'architecture',
  'CONTRIBUTING.md': 'contributing',
  'examples/README.md': 'examples',
  'benchmarks/README.md': 'benchmarks',
  'benchmarks/results/README.md': 'speed',
  'tests/soak/README.md': 'soak',
  'docs/README.md': 'documentation',
  'docs/api/README.md': 'api/index',
  'docs/guides/README.md': 'guides/index',
}

/** The title and the first sentence of a guide. */
export function describeGuide(text: string): { title: string; text: string } {
  const [, title = '', first = ''] = /^# (.+)\n\n([^]*?)\n\n/.exec(text) ?? []
  const [sentence = ''] = /^[^]*?[.:?](?= |$)/.exec(first.replaceAll('\n', ' ')) ?? []
  const plain = sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
  // The first sentence of what a user says.
  const isOpen = plain.startsWith('"') && plain.lastIndexOf('"') === 0
  return { title, text: plain.replace(/:$/, '.') + (isOpen ? '"' : '') }
}

/** Returns all pages that are made of one document. */
export function sitePages(): readonly SitePage[] {
  const options = { cwd: root, exclude: ['**/node_modules/**'] }
  const documents = globSync(['docs/**/*.md', 'packages/*/README.md'], options).sort()
  return [
    ...Object.entries(named).map(([document, address]) => ({ document, address })),
    ...documents
      .filter((document) => !(document in named))
      .map((document) => ({ document, address: addressOf(document) })),
  ]
}

function addressOf(document: string): string {
  if (document.startsWith('docs/')) return document.slice('docs/'.length, -'.md'.length)
  return `packages/${basename(join(document, '..'))}`
}
