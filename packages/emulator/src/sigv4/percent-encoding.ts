const unreserved = /[A-Za-z0-9\-._~]/

const encodedBytes: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  if (unreserved.test(character)) return character
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
})

const escapeSequence = /%([0-9A-Fa-f]{2})/g

/** Decodes `%XX` once, from byte string to byte string. A `%` that starts no escape stays a `%`. */
export function percentDecode(text: string): string {
  return text.replace(escapeSequence, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/**
 * `UriEncode` of the S3 documents over a byte string: everything but unreserved characters becomes
 * `%XX` in upper case.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function uriEncode(bytes: string): string {
  let encoded = ''
  for (let index = 0; index < bytes.length; index += 1) {
    encoded += encodedBytes[bytes.charCodeAt(index)] ?? ''
  }
  return encoded
}

/** A byte string read as UTF-8, for where people and XML read it. */
export function textOfBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
