/**
 * Decodes base64 of either alphabet.
 *
 * @throws DOMException if it is none.
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-5
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(latin1FromBase64(text), (character) => character.charCodeAt(0))
}

/** Decodes base64 of either alphabet to a text with a character for each byte. */
export function latin1FromBase64(text: string): string {
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
}
