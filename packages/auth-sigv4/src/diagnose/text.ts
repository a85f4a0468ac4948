import { utf8Bytes } from './byte-string.ts'

/** Names of headers and parameters whose values must not stand in a log. */
const secretName =
  /token|secret|password|passwd|cookie|authorization|signature$|customer-key$|api-?key|session/i

/** A value that is no secret, or so much of it that two can be told apart. */
export function redact(name: string, value: string): string {
  return secretName.test(name) ? shorten(value) : value
}

/** The values of secret names, such as those of headers or of a query. */
export function secretValues(entries: Iterable<readonly [name: string, value: string]>): string[] {
  return [...entries].filter(([name]) => secretName.test(name)).map(([, value]) => value)
}

/** Shortens secret values in a text, such as one that quotes the request, however they are encoded. */
export function hideValues(values: readonly string[]): (text: string) => string {
  const forms = values
    .flatMap((value) => [value, value.replace(/[\t ]+/g, ' ')])
    .flatMap((value) => [value, encodeURIComponent(value)].concat(base64Forms(value)))
    // A canonical request leaves none of these alone.
    .flatMap((form) => [form, form.replace(/[!'()*]/g, percentEncode)])
    .flatMap((form) => [form, form.replaceAll('%20', '+')])
    .flatMap((form) => [form, form.replace(/%[\dA-F]{2}/g, (escape) => escape.toLowerCase())])
    // Anything shorter would be found in any text.
    .filter((form) => form.length >= 8)
  // The longest first: of a value that holds another one the rest would be left.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) =>
    longestFirst.reduce((shown, form) => shown.replaceAll(form, () => shorten(form)), text)
}

/** Both alphabets, wherever the value begins in what was encoded, without what its neighbours decide too. */
function base64Forms(value: string): string[] {
  const bytes = utf8Bytes(value)
  return [0, 1, 2].flatMap((offset) => {
    const end = Math.floor(((offset + bytes.length) * 4) / 3)
    const form = btoa(' '.repeat(offset) + bytes).slice(offset && offset + 1, end)
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
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
