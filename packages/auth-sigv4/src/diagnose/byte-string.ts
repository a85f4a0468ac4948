/** The UTF-8 bytes of a text as a byte string: each character is one byte, as headers are signed. */
export function utf8Bytes(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return bytes
}

/** Bytes that are written `47 45 54`, as a byte string; `undefined` where it is no such text. */
export function hexBytes(hex: string | undefined): string | undefined {
  const digits = hex?.replace(/\s/g, '')
  if (!digits || digits.length % 2 === 1 || !/^[\da-f]+$/i.test(digits)) return undefined
  return digits.replace(/../g, (byte) => String.fromCharCode(Number.parseInt(byte, 16)))
}

/** Decodes `%XX` once, to a byte string. */
export function percentDecode(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
