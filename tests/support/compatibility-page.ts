import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { betweenMarks } from './markdown-table.ts'

const page = join(import.meta.dirname, '../../docs/compatibility.md')

/** The tables of the page, by what stands in their marks. */
export type CompatibilityTable = 'client-runtimes' | 'clients' | 'redirects' | 'runtimes'

/** Writes a table into docs/compatibility.md. */
export async function writeCompatibility(name: CompatibilityTable, table: string): Promise<void> {
  await writeFile(page, await withTable(name, table))
}

/** Tells if docs/compatibility.md has this table. */
export async function hasCompatibility(name: CompatibilityTable, table: string): Promise<boolean> {
  return (await withTable(name, table)) === (await readCompatibility())
}

/** Returns the text of docs/compatibility.md. */
export function readCompatibility(): Promise<string> {
  return readFile(page, 'utf8')
}

async function withTable(name: CompatibilityTable, table: string): Promise<string> {
  const document = await readCompatibility()
  return betweenMarks(document, `<!-- matrix:${name} -->`, `<!-- /matrix:${name} -->`, table)
}
