import { UsageError } from '../exit.ts'
import type { ReadFile } from './files.ts'

/** Headers by their names in lower case; `undefined` leaves out one that is sent by default. */
export type GivenHeaders = ReadonlyMap<string, string | undefined>

/**
 * Reads `-H` flags, as curl has them. What is typed in UTF-8 is sent in UTF-8, so the values are byte strings, as
 * `Headers` takes them. `Headers` itself takes longer to load than a request takes.
 *
 * @throws UsageError naming the flag, or the file and its line; never a value.
 */
export async function readHeaders(
  flags: readonly string[],
  readFile: ReadFile,
): Promise<GivenHeaders> {
  const given = new Map<string, string | undefined>()
  for (const [index, flag] of flags.entries()) {
    if (!flag.startsWith('@')) {
      addHeader(given, flag, flags.length > 1 ? `--header number ${index + 1}` : '--header')
      continue
    }
    const name = flag.slice(1)
    const text = (await readFile(`--header ${flag}`, name)).toString()
    for (const [number, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() !== '') addHeader(given, line, `--header ${flag}, line ${number + 1}`)
    }
  }
  return given
}

function addHeader(headers: Map<string, string | undefined>, line: string, place: string): void {
  const [, name = '', mark, rest = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*([:;])(.*)$/s.exec(line) ?? []
  const key = name.toLowerCase()
  const before = headers.get(key)
  const value = Buffer.from(rest.trim()).toString('latin1')
  if (name === '' || (mark === ';' && value !== '')) {
    throw new UsageError(`${place} must be "Name: value", "Name;" or "Name:"`)
  }
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new UsageError(`${place}: the value of ${name} has a line break or a control character`)
  }
  if (mark === ':' && value === '') headers.set(key, before)
  else headers.set(key, before === undefined ? value : `${before}, ${value}`)
}
