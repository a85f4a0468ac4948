/** Writes a text of somebody else's as one line without anything that would act on a terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
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
