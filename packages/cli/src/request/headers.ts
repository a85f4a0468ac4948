import { UsageError } from '../exit.ts'
import type { ReadFile } from './files.ts'

/**
 * Reads `-H` flags: `name: value`, or `@file` with one on each line. What is typed in UTF-8 is sent in UTF-8, so the
 * values are byte strings, as `Headers` takes them.
 *
 * @throws UsageError naming the flag, or the file and its line; never a value.
 */
export async function readHeaders(flags: readonly string[], readFile: ReadFile): Promise<Headers> {
  const headers = new Headers()
  for (const [index, flag] of flags.entries()) {
    if (!flag.startsWith('@')) {
      appendHeader(headers, flag, flags.length > 1 ? `--header number ${index + 1}` : '--header')
      continue
    }
    const name = flag.slice(1)
    const text = (await readFile('--header', name)).toString()
    for (const [number, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() !== '') appendHeader(headers, line, `${name}, line ${number + 1}`)
    }
  }
  return headers
}

function appendHeader(headers: Headers, line: string, place: string): void {
  // `name;` is the form of curl for a header without a value.
  const [, name = '', value = ''] = /^([^:;]*)(?:;\s*$|:(.*)$)/s.exec(line) ?? []
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name.trim())) {
    throw new UsageError(`${place} must be a header in the form 'name: value'`)
  }
  const bytes = Buffer.from(value.trim()).toString('latin1')
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(bytes)) {
    throw new UsageError(
      `${place}: the value of ${name.trim()} has a line break or a control character`,
    )
  }
  headers.append(name.trim(), bytes)
}

/** Returns the value of a header as a text: the UTF-8 that its bytes are. */
export function headerText(bytes: string): string {
  const text = Buffer.from(bytes, 'latin1').toString()
  return text.includes('\ufffd') ? bytes : text
}
