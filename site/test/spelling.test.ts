import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { spellCheckDocument } from 'cspell-lib'
import { expect, test } from 'vitest'
import { root, sitePages } from '../src/pages.ts'

const words = readFileSync(join(root, 'site/words.txt'), 'utf8').trim().split('\n')
const documents = [
  ...sitePages().map(({ document }) => document),
  ...globSync(['.changeset/*.md', 'packages/*/CHANGELOG.md'], { cwd: root }),
]
const dictionary = (name: string): string =>
  join(root, `site/node_modules/@cspell/${name}/cspell-ext.json`)

test('the documents have no word that is spelled wrongly', async () => {
  const lines: string[] = []
  for (const document of documents) {
    const wrong = await misspelled(readFileSync(join(root, document), 'utf8'))
    lines.push(...wrong.map((word) => `${document}: ${word}`))
  }
  expect(lines).toEqual([])
})

test('a word that is spelled wrongly is found, and code is no prose', async () => {
  expect(await misspelled('A signatrue of `signatrue` is\n\n```\nsignatrue\n```\n')).toEqual([
    'signatrue',
  ])
})

test('the list of words is sorted, and has none that the documents lack', () => {
  expect(words).toEqual([...new Set(words)].sort())
  const text = documents
    .map((document) => prose(readFileSync(join(root, document), 'utf8')))
    .join('\n')
    .toLowerCase()
  expect(words.filter((word) => !text.includes(word.toLowerCase()))).toEqual([])
})

/** Returns the words of a document that no dictionary has. */
async function misspelled(text: string): Promise<readonly string[]> {
  const { issues, errors = [] } = await spellCheckDocument(
    { uri: 'file:///document.txt', text: prose(text), languageId: 'plaintext', locale: 'en-US' },
    { generateSuggestions: false, noConfigSearch: true },
    {
      loadDefaultConfiguration: false,
      import: [dictionary('dict-en_us'), dictionary('dict-software-terms')],
      dictionaries: ['en_us', 'softwareTerms'],
      words,
    },
  )
  if (errors.length > 0) throw new AggregateError(errors, 'the dictionaries cannot be read')
  return issues.map((issue) => issue.text)
}

/** A document without its code, the addresses of its links and its elements. */
function prose(text: string): string {
  return text
    .replace(/^( *)```[^]*?^\1```/gm, '')
    .replace(/`[^`\n]+`/g, '')
    .replace(/\]\([^)\s]+\)/g, ']')
    .replace(/<!--[^]*?-->|<[^>\n]+>/g, '')
    .replace(/https?:\/\/\S+/g, '')
}
