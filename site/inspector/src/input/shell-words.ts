import { InputError, placeOf } from './input-error.ts'

/** A word of a command line, and where it begins. */
export interface ShellWord {
  readonly text: string
  readonly at: number
}

/** The words of a command, and the character that ended it before the text did. */
export interface ShellCommand {
  readonly words: readonly ShellWord[]
  readonly ending: string
  /** `true` if the shell would put something in the place of a variable or a command. */
  readonly hasExpansions: boolean
}

/** The most words of a command line. */
const maxWords = 10_000

/**
 * Splits a command line into words as POSIX shells do, with the `$'…'` of bash; nothing is expanded. It ends where
 * the first command does.
 *
 * @throws InputError where a quotation has no end.
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
 */
export function splitShellWords(text: string): ShellCommand {
  const words: ShellWord[] = []
  let ending = ''
  let hasExpansions = false
  let index = 0
  let word: string[] | undefined
  let at = 0
  const end = (): void => {
    if (word) words.push({ text: word.join(''), at })
    if (words.length > maxWords) {
      throw new InputError('command', `there are more than ${maxWords} words.`)
    }
    word = undefined
  }
  const add = (piece: string): void => {
    if (!word) at = index
    word ??= []
    word.push(piece)
  }
  while (index < text.length) {
    const character = text.charAt(index)
    if (character === '\\' && /^\r?\n/.test(text.slice(index + 1, index + 3))) {
      index += text.charAt(index + 1) === '\r' ? 3 : 2
    } else if (/[\s;|&]/.test(character)) {
      end()
      if (words.length > 0 && !/[\t \r]/.test(character)) {
        ending = text.slice(index).trim() === '' ? '' : character
        break
      }
      index += 1
    } else if (character === "'") {
      const close = closing(text, index, "'")
      add(text.slice(index + 1, close))
      index = close + 1
    } else if (character === '$' && text.charAt(index + 1) === "'") {
      index = readDollarQuote(text, index, add)
    } else if (character === '"') {
      const from = index
      index = readDoubleQuote(text, index, add)
      hasExpansions ||= isExpanded(text.slice(from, index))
    } else if (character === '\\') {
      add(text.charAt(index + 1))
      index += 2
    } else {
      const [plain = character] = /^[^\s;|&'"\\$]+/.exec(text.slice(index, index + 4096)) ?? []
      hasExpansions ||= isExpanded(plain === '$' ? text.slice(index, index + 2) : plain)
      add(plain)
      index += plain.length
    }
  }
  end()
  return { words, ending, hasExpansions }
}

/** Tells if a shell would put something in the place of a part of a text. */
function isExpanded(text: string): boolean {
  return /(?:^|[^\\])(?:\$[\w({]|`)/.test(text)
}

function closing(text: string, from: number, quote: string): number {
  const close = text.indexOf(quote, from + 1)
  if (close < 0) throw unclosed(text, from, quote)
  return close
}

function unclosed(text: string, from: number, quote: string): InputError {
  const { line, column } = placeOf(text, from)
  return new InputError(
    'quotation',
    `the quotation that begins here with ${quote} has no end.`,
    line,
    column,
  )
}

function readDoubleQuote(text: string, from: number, add: (piece: string) => void): number {
  let index = from + 1
  add('')
  for (;;) {
    const [plain = ''] = /^[^"\\]+/.exec(text.slice(index, index + 4096)) ?? []
    add(plain)
    index += plain.length
    const character = text.charAt(index)
    if (character === '"') return index + 1
    if (character === '') throw unclosed(text, from, '"')
    if (character === '\\') {
      const next = text.charAt(index + 1)
      if (/[$`"\\]/.test(next)) add(next)
      else if (next !== '\n') add(`\\${next}`)
      index += 2
    }
  }
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['f', '\f'],
  ['v', '\v'],
])

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readDollarQuote(text: string, from: number, add: (piece: string) => void): number {
  let index = from + 2
  add('')
  for (;;) {
    const [plain = ''] = /^[^'\\]+/.exec(text.slice(index, index + 4096)) ?? []
    add(plain)
    index += plain.length
    const character = text.charAt(index)
    if (character === "'") return index + 1
    if (character === '') throw unclosed(text, from, "$'")
    if (character !== '\\') continue
    const bytes = /^(?:\\(?:x[\da-f]{1,2}|[0-7]{1,3}))+/i.exec(text.slice(index, index + 4096))?.[0]
    if (bytes !== undefined) {
      add(textOfBytes(bytes, text, index))
      index += bytes.length
      continue
    }
    const escape = /^\\(?:u([\da-f]{1,4})|U([\da-f]{1,8})|([\s\S]))/.exec(
      text.slice(index, index + 10),
    )
    const [whole = '\\', short, long, other = ''] = escape ?? []
    const code = short ?? long
    const value = code === undefined ? 0 : Number.parseInt(code, 16)
    if (code === undefined) add(escapes.get(other) ?? other)
    else add(value <= 0x10ffff ? String.fromCodePoint(value) : '\ufffd')
    index += whole.length
  }
}

/** Decodes escapes that are bytes each, of which several make a character. */
function textOfBytes(escaped: string, text: string, at: number): string {
  const bytes = [...escaped.matchAll(/\\(?:x([\da-f]{1,2})|([0-7]{1,3}))/gi)].map(
    ([, hex, octal = '']) =>
      hex === undefined ? Number.parseInt(octal, 8) % 256 : Number.parseInt(hex, 16),
  )
  try {
    return utf8.decode(Uint8Array.from(bytes))
  } catch {
    const { line, column } = placeOf(text, at)
    const message = 'these bytes are no text in UTF-8, so this page cannot hold them.'
    throw new InputError('quotation', message, line, column)
  }
}
