/** Names of headers and parameters whose values nobody must see. */
const secretName =
  /token|secret|password|passwd|cookie|authorization|signature|credential|customer-key|api-?key|session/i

/** Returns the value of a header for people to read: of a signature all but the signature, of a secret nothing. */
export function redactHeader(name: string, value: string): string {
  if (/^authorization$/i.test(name) && value.startsWith('AWS4-HMAC-SHA256 ')) {
    return value.replace(/(Signature=)\w+/, '$1[redacted]')
  }
  return secretName.test(name) ? '[redacted]' : printable(value)
}

/** Returns a path with its query, without the values of parameters that are secret by their names. */
export function redactTarget(target: string): string {
  const [path = '', ...rest] = target.split('?')
  if (rest.length === 0) return path
  const query = rest
    .join('?')
    .split('&')
    .map((piece) =>
      piece.replace(/^([^=]*)=(.*)$/s, (_all, name: string, value: string) =>
        secretName.test(name) ? `${name}=[redacted]` : `${name}=${value}`,
      ),
    )
  return `${path}?${query.join('&')}`
}

/** Writes a text of others as one line that does nothing to a terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
