import type { ShellWord } from './shell-words.ts'

/**
 * Tells if a command line is in the form that browsers copy for `cmd` of Windows: a caret before a quotation mark
 * or at the end of a line. Inside of the quotation of another shell a caret is text.
 */
export function isCmdLine(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '\\') index += 1
    else if (character === "'") {
      const isDollar = text.charAt(index - 1) === '$'
      index = closing(text, index, isDollar)
    } else if (character === '"') index = closing(text, index, true)
    else if (character === '^' && /^(?:\r?\n|")/.test(text.slice(index + 1, index + 3))) {
      return text.charAt(index + 1) !== '"' || /\s/.test(text.charAt(index - 1))
    }
  }
  return false
}

/** Finds the end of a quotation. */
function closing(text: string, from: number, hasEscapes: boolean): number {
  const quote = text.charAt(from)
  let index = from + 1
  while (index < text.length && text.charAt(index) !== quote) {
    index += hasEscapes && text.charAt(index) === '\\' ? 2 : 1
  }
  return index
}

/**
 * Splits a command line of `cmd` into words: first the carets are taken off as `cmd` does, then the words are split
 * as programs of Windows do, where backslashes count before a quotation mark only.
 *
 * @see https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
export function splitCmdWords(text: string): ShellWord[] {
  const plain = withoutCarets(text)
  const words: ShellWord[] = []
  let index = 0
  while (index < plain.length) {
    if (/\s/.test(plain.charAt(index))) {
      index += 1
      continue
    }
    const at = index
    const pieces: string[] = []
    let isQuoted = false
    while (index < plain.length) {
      const character = plain.charAt(index)
      if (character === '\\') {
        let end = index
        while (plain.charAt(end) === '\\') end += 1
        const count = end - index
        const isBeforeQuote = plain.charAt(end) === '"'
        pieces.push('\\'.repeat(isBeforeQuote ? Math.floor(count / 2) : count))
        index = end
        if (isBeforeQuote && count % 2 === 1) {
          pieces.push('"')
          index += 1
        }
        continue
      }
      if (character === '"') isQuoted = !isQuoted
      else if (!isQuoted && /\s/.test(character)) break
      else pieces.push(character)
      index += 1
    }
    words.push({ text: pieces.join(''), at })
  }
  return words
}

/** Takes the carets off, each with the meaning of what follows it. */
function withoutCarets(text: string): string {
  const pieces: string[] = []
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (character === '"') isQuoted = !isQuoted
    if (character !== '^' || isQuoted) {
      pieces.push(character)
      continue
    }
    const [breaks] = /^(?:\r?\n){1,2}/.exec(text.slice(index + 1, index + 5)) ?? []
    // A caret at the end of a line goes on in the next one; a line break behind that is one.
    if (breaks !== undefined) pieces.push(/\n.*\n/s.test(breaks) ? '\n' : ' ')
    else pieces.push(text.charAt(index + 1))
    index += breaks === undefined ? 1 : breaks.length
  }
  return pieces.join('')
}
