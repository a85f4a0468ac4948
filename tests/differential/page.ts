import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { betweenMarks, markdownTable } from '../support/markdown-table.ts'
import { accepted } from './accepted/index.ts'

const root = join(import.meta.dirname, '../..')

/** The page, by its path in the repository. */
export const page = 'docs/differences.md'

/** Returns the page with the tables of all accepted differences, by client. */
export function writePage(): string {
  const text = readFileSync(join(root, page), 'utf8')
  const names = [...new Set(accepted.map((row) => row.page.client))]
  const sections = names.map((name) => `## ${titleCase(name)}\n\n${tableOf(name)}`)
  return betweenMarks(text, '<!-- differences -->', '<!-- /differences -->', sections.join('\n\n'))
}

function tableOf(name: string): string {
  const rows = accepted.filter((row) => row.page.client === name)
  const cells = rows.map(({ page: { situation, bare, ours, reason } }) =>
    [situation, bare, ours, reason].map((cell) => cell.replaceAll('|', '\\|')),
  )
  return markdownTable([['what is sent', 'bare client', 'with authentication', 'why'], ...cells])
}

function titleCase(name: string): string {
  return name.startsWith('every') ? 'Every client' : name
}
