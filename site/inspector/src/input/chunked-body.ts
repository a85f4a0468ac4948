/**
 * Takes the framing of `Transfer-Encoding: chunked` off a body; `undefined` where it has none. A text that was
 * pasted may have LF for CRLF between its chunks.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 */
export function dechunked(text: string): string | undefined {
  const isAscii = !/[^\p{ASCII}]/u.test(text)
  // The sizes count bytes.
  if (!isAscii) return undefined
  const pieces: string[] = []
  let position = 0
  for (;;) {
    const end = text.indexOf('\n', position)
    if (end < 0) return undefined
    const [, digits] =
      /^([\da-f]{1,8})(?:[\t ]*;[^\r]*)?\r?$/i.exec(
        text.slice(position, Math.min(end, position + 1000)),
      ) ?? []
    if (digits === undefined) return undefined
    const size = Number.parseInt(digits, 16)
    if (size === 0) return pieces.join('')
    position = end + 1
    pieces.push(text.slice(position, position + size))
    position += size
    if (position > text.length) return undefined
    if (text.startsWith('\r\n', position)) position += 2
    else if (text.startsWith('\n', position)) position += 1
    else return undefined
  }
}
