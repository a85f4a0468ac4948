/** The bytes of a text in UTF-8. A `Buffer` costs a quarter of what the `TextEncoder` of Node does. */
export function textBytes(text: string): Uint8Array {
  return Buffer.from(text)
}
