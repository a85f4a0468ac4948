import { readFile, writeFile } from 'node:fs/promises'
import { withTable } from './pitfall-table.ts'

// Writes the table of pitfalls into the README; a test checks that it is there.
const readme = new URL('../../../../docs/guides/signing.md', import.meta.url)
await writeFile(readme, withTable(await readFile(readme, 'utf8')))
