/**
 * Decodes base64 of either alphabet.
 *
 * @throws DOMException if it is none.
 * @see https://www.rfc-editor.org/rfc/rfc4648#section-5
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
