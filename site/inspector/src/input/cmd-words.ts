import type { ShellWord } from './shell-words.ts'

/** Tells if a command line is in the form that browsers copy for `cmd` of Windows. */
export function isCmdLine(text: string): boolean {
  return /\^\r?\n|\^"/.test(text)
}

/**
 * Splits a command line of `cmd` as browsers write it: every quotation and special character behind a caret.
 */
export function splitCmdWords(text: string): ShellWord[] {
  // A caret takes the meaning off what follows it, a line break included.
  const plain = text.replace(/\^(?:\r?\n|([\s\S]))/g, (_caret, next?: string) => next ?? ' ')
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
    for (; index < plain.length; index += 1) {
      const character = plain.charAt(index)
      if (character === '\\' && plain.charAt(index + 1) === '"') {
        pieces.push('"')
        index += 1
      } else if (character === '"') {
        isQuoted = !isQuoted
      } else if (!isQuoted && /\s/.test(character)) {
        break
      } else pieces.push(character)
    }
    words.push({ text: pieces.join(''), at })
  }
  return words
}
