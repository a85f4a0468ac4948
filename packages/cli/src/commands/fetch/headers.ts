import { readFile } from 'node:fs/promises'
import { UsageError } from '../../exit.ts'
import { errorCode } from './error-code.ts'

/** Headers to send, by their names in lower case; `undefined` leaves out one that is sent by default. */
export type HeaderLines = readonly (readonly [name: string, value: string | undefined])[]

/**
 * Reads the values of `--header`, as curl has them.
 *
 * @throws UsageError if one is no header; its text is not quoted, since it may be a secret.
 */
export async function readHeaders(given: readonly string[] = []): Promise<HeaderLines> {
  const lines: HeaderLines[number][] = []
  for (const text of given) {
    if (text.startsWith('@')) lines.push(...(await readHeaderFile(text.slice(1))))
    else lines.push(readHeader(text, '--header'))
  }
  return lines
}

async function readHeaderFile(file: string): Promise<HeaderLines> {
  let text: string
  try {
    text = await readFile(file, 'latin1')
  } catch (cause) {
    throw new UsageError(`--header @${file} cannot be read (${errorCode(cause)})`, { cause })
  }
  return text.split(/\r?\n/).flatMap((line, index) => {
    return line.trim() === '' ? [] : [readHeader(line, `--header @${file}, line ${index + 1}`)]
  })
}

function readHeader(text: string, place: string): HeaderLines[number] {
  const [, name = '', mark, rest = ''] = /^([!#$%&'*+.^`|~\w-]+)\s*([:;])(.*)$/s.exec(text) ?? []
  const value = rest.trim()
  const isEmptied = mark === ';'
  if (name === '' || (isEmptied && value !== '')) {
    throw new UsageError(`${place} must be "Name: value", "Name;" or "Name:"`)
  }
  return [name.toLowerCase(), value === '' && !isEmptied ? undefined : value]
}

/** Returns headers with those of the user in the place of the defaults, as names and values in turn. */
export function joinHeaders(defaults: HeaderLines, given: HeaderLines): string[] {
  const replaced = new Set(given.map(([name]) => name))
  const lines = [...defaults.filter(([name]) => !replaced.has(name)), ...given]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
}
