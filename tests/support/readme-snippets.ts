import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A snippet of a document: `js` runs as it stands on every Node, and `ts` has types. */
export interface Snippet {
  readonly place: string
  /** The name that a reader would save it by: a `.mjs` or a `.ts`. */
  readonly file: string
  readonly language: 'js' | 'ts'
  readonly code: string
  /** The document up to the snippet. */
  readonly above: string
}

const root = join(import.meta.dirname, '../..')

/** The READMEs of the repository and of its packages. */
export const readmes: readonly string[] = [
  'README.md',
  ...globSync('packages/*/README.md', { cwd: root }).sort(),
]

/** The guides, the list of which has no snippet. */
export const guides: readonly string[] = globSync('docs/guides/*.md', { cwd: root })
  .filter((path) => !path.endsWith('README.md'))
  .sort()

/** Reads the snippets of a document, by its path in the repository. */
export function readSnippets(document: string): Snippet[] {
  const text = readFileSync(join(root, document), 'utf8')
  return [...text.matchAll(/^```(js|ts)\b.*\n([^]*?)^```$/gm)].map(
    ({ index, 1: fence, 2: code = '' }) => {
      const above = text.slice(0, index)
      const place = `${document}:${above.split('\n').length}`
      const language = fence === 'js' ? 'js' : 'ts'
      const file = `${place.replace(/\W/g, '-')}.${language === 'js' ? 'mjs' : 'ts'}`
      return { place, file, language, code, above }
    },
  )
}
