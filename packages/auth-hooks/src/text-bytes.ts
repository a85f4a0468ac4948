/** The bytes of a text in UTF-8. */
export function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
