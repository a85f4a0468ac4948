import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { checkSizes, limitFor, type SizeLimit } from './check-sizes.ts'
import { checkLines, type LineLimit } from './count-lines.ts'
import { measureSize } from './measure-size.ts'

// Checks the bytes that the built packages add to a page, and the lines of their sources. With --write, the limits of
// bytes follow.
const { values } = parseArgs({ options: { write: { type: 'boolean' } } })
const file = new URL('limits.json', import.meta.url)
// A file of this very folder.
const limits = JSON.parse(await readFile(file, 'utf8')) as SizeLimit[]
const { results, lines, isGood } = await checkSizes(limits, measureSize)
const lineFile = new URL('line-limits.json', import.meta.url)
const sources = checkLines(JSON.parse(await readFile(lineFile, 'utf8')) as LineLimit[])
console.log([...lines, ...sources.lines].join('\n'))
if (values.write) {
  for (const [index, bytes] of results.entries()) {
    const limit = limits[index]
    if (limit) limit.limitBytes = limitFor(bytes)
  }
  await writeFile(file, `${JSON.stringify(limits, undefined, 2)}\n`)
  console.log('The limits are written: pnpm format')
} else if (!isGood || !sources.isGood) {
  process.exitCode = 1
}
