import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { page, writePage } from './page.ts'

await writeFile(join(import.meta.dirname, '../..', page), writePage())
console.log(`${page} is written`)
