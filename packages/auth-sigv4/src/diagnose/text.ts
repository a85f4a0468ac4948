import { uriEncode } from '../canonical-query.ts'

/** Names of headers and parameters whose values must not stand in a log. */
const secretName =
  /token|secret|passw|passphrase|cookie|authorization|signature$|customer-key$|(?:api|access|auth|private|subscription)[-_]?key$|session|sessid|csrf|xsrf|jwt|hmac|assertion|vault|(?:^|[-_.])(?:auth|sig|pwd|pass|sid|otp|pin)(?:[-_.]|$)|^(?:key|code)$/i

/**
 * Returns a value of a header or of a parameter as it may be shown: shortened where the name is one of a secret,
 * such as `authorization`, `cookie` or `x-amz-security-token`.
 *
 * @param name - The name of the header or the parameter, in any case.
 * @example
 * import { redact } from '@svc/auth-sigv4/inspect'
 *
 * console.log(redact('cookie', 'id=1'), redact('host', 'a.example')) // … (4 characters) a.example
 */
export function redact(name: string, value: string): string {
  if (/^host$/i.test(name))
    return value.replace(/^.*@/s, (user) => `${shorten(user.slice(0, -1))}@`)
  return secretName.test(name) ? shorten(value) : value
}

/** Returns the values of secret names, such as those of headers or of a query. */
export function secretValues(entries: Iterable<readonly [name: string, value: string]>): string[] {
  return [...entries].filter(([name]) => secretName.test(name)).map(([, value]) => value)
}

/**
 * Returns a function that shortens secret values in a text, such as one that quotes a request: as they stand,
 * percent-encoded, as a form has them and in base64. A value of less than 8 characters would be found in any text, and stays.
 *
 * @example
 * import { hideSecrets } from '@svc/auth-sigv4/inspect'
 *
 * console.log(hideSecrets(['correct horse'])('?q=correct%20horse')) // ?q=… (15 characters)
 */
export function hideSecrets(values: readonly string[]): (text: string) => string {
  const forms = values
    // Signed headers have single blanks.
    .flatMap((value) => [value, value.replace(/[\t ]+/g, ' ')])
    .flatMap((value) => {
      const bytes = utf8Bytes(value)
      const encoded = uriEncode(bytes.replaceAll('%', '%25'), '')
      // Without the digit that what follows decides too.
      const base64 = btoa(bytes).slice(0, Math.floor((bytes.length * 4) / 3))
      return [value, encoded, encoded.replaceAll('%20', '+'), base64].flatMap((form) => [
        form,
        form.replace(/%../g, (escape) => escape.toLowerCase()),
        form.replaceAll('+', '-').replaceAll('/', '_'),
      ])
    })
    // Anything shorter would be found in any text.
    .filter((form) => form.length >= 8)
  // The longest first: of a value that holds another one the rest would be left.
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) =>
    longestFirst.reduce((shown, form) => shown.replaceAll(form, () => shorten(form)), text)
}

/** Returns the beginning of a secret value, and its length. */
export function shorten(value: string): string {
  if (value === '') return ''
  const start = value.length >= 32 ? value.slice(0, 4) : ''
  return `${start}… (${value.length} characters)`
}

/** Returns a query whose secret values are shortened. */
export function redactQuery(query: string): string {
  return query
    .split('&')
    .map((piece) => {
      const [name = ''] = piece.split('=', 1)
      return piece === name ? piece : `${name}=${redact(name, piece.slice(name.length + 1))}`
    })
    .join('&')
}

/** Writes a text of a server as one line without anything that would act on a terminal or a log. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** The last second that a date in `x-amz-date` can name. */
const lastAt = Date.UTC(9999, 11, 31, 23, 59, 59)

/**
 * Reads an instant as servers write it, in epoch milliseconds: `20130524T000000Z`, ISO 8601, the form of
 * HTTP's `Date`, or milliseconds as such, as S3 has it for presigned requests.
 */
export function parseInstant(text: string | null | undefined): number | undefined {
  if (!text || text.length > 40) return undefined
  const iso = text.trim().replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const at = /^\d{13}$/.test(iso) ? Number(iso) : Date.parse(iso)
  return at >= 0 && at <= lastAt ? at : undefined
}

/**
 * Writes a length of time for people, to two units.
 *
 * @param ms - The time in milliseconds; its sign does not matter.
 * @example
 * import { formatDuration } from '@svc/auth-sigv4/inspect'
 *
 * console.log(formatDuration(3_900_000)) // 1 h 5 min
 */
export function formatDuration(ms: number): string {
  let rest = Math.round(Math.abs(ms) / 1000)
  const parts: string[] = []
  for (const [unit, seconds] of Object.entries({ d: 86_400, h: 3600, min: 60, s: 1 })) {
    const count = Math.floor(rest / seconds)
    rest -= count * seconds
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

/** Returns the UTF-8 bytes of a text as a byte string: each character is one byte, as headers are signed. */
export function utf8Bytes(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

/** Reads bytes that are written `47 45 54`, as a byte string; `undefined` where it is no such text. */
export function hexBytes(hex: string | undefined): string | undefined {
  const digits = hex?.replace(/\s/g, '')
  if (!digits || digits.length % 2 === 1 || !/^[\da-f]+$/i.test(digits)) return undefined
  return digits.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
}
