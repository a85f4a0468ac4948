/** Names of headers and parameters whose values must not stand in a log. */
const secretName =
  /token|secret|password|passwd|cookie|authorization|signature$|customer-key$|api-?key|session/i

/** A value that is no secret, or so much of it that two can be told apart. */
export function redact(name: string, value: string): string {
  return secretName.test(name) ? shorten(value) : value
}

/** The beginning of a secret value, and its length. */
export function shorten(value: string): string {
  if (value === '') return ''
  const start = value.length >= 32 ? value.slice(0, 4) : ''
  return `${start}… (${value.length} characters)`
}

/** A query whose secret values are shortened. */
export function redactQuery(query: string): string {
  return query
    .split('&')
    .map((piece) => {
      const equals = piece.indexOf('=')
      if (equals < 0) return piece
      const name = piece.slice(0, equals)
      return `${name}=${redact(name, piece.slice(equals + 1))}`
    })
    .join('&')
}

/** A text that a server wrote, as one line without anything that would act on a terminal or a log. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
