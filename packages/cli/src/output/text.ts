/** Writes somebody else's text as one line, without anything that would act on a terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** Writes somebody else's text without anything that would act on a terminal, but for its lines and tabulators. */
export function printableLines(text: string): string {
  return text.replace(/(?:[^\t\r\n]|\r(?!\n|$))+/g, printable)
}

/** Decodes the text of a header, whose bytes come as characters: of UTF-8 if they are that, else of ISO 8859-1. */
export function headerText(value: string): string {
  if (!/^[\0-\xFF]*$/.test(value)) return value
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

/** Returns the beginning of a secret value, and its length. */
export function shorten(value: string): string {
  const start = value.length >= 32 ? value.slice(0, 4) : ''
  return `${start}… (${value.length} characters)`
}

/** Tells if the value of a header or of a parameter of this name must not be shown whole. */
export function isSecretName(name: string): boolean {
  return /token|secret|password|cookie|customer-key$|api-?key|session/i.test(name)
}
