/**
 * Percent-encodes text that may be encoded already, byte for byte: what is escaped is read as its
 * byte, a `%` that begins no escape is a `%`, and every byte but the unreserved characters and those
 * of `kept` becomes `%XX` in upper case. Doing it twice changes nothing more.
 *
 * The text is a part of a parsed URL, hence ASCII.
 *
 * @see https://www.rfc-editor.org/rfc/rfc3986#section-2.3
 */
export function encodeStrictly(text: string, kept: '/' | ''): string {
  if (!(kept ? unencodedPath : unencoded).test(text)) return text
  return text.replace(/%[\da-f]{2}|[^\w\-.~]/gi, (found) => {
    const byte = found.length === 3 ? Number.parseInt(found.slice(1), 16) : found.charCodeAt(0)
    const character = String.fromCharCode(byte)
    if (character === kept || /[\w\-.~]/.test(character)) return character
    return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** What is not encoded so yet: neither an unreserved character nor another byte's escape in upper case. */
const unencoded =
  /[^\w\-.~%]|%(?!(?:[01][\dA-F]|2[\dA-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]|[89A-F][\dA-F]))/

/** The same of a path, where a slash stands for itself. */
const unencodedPath =
  /[^\w\-.~%/]|%(?!(?:[01][\dA-F]|2[\dA-C]|3[A-F]|40|5[B-E]|60|7[B-DF]|[89A-F][\dA-F]))/
