/** The part of a body that a `Range` header asks for. `end` is exclusive. */
export type ByteRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

/**
 * Reads a `Range` header against a body of `size` bytes. Several ranges, and what is no byte range,
 * are ignored, as RFC 9110 lets a server do.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2
 */
export function readByteRange(header: string | undefined, size: number): ByteRange {
  const parts = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '')
  const [, first = '', last = ''] = parts ?? []
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') {
    const length = Math.min(Number(last), size)
    if (length === 0) return { kind: 'unsatisfiable' }
    return { kind: 'part', start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return { kind: 'whole' }
  if (start >= size) return { kind: 'unsatisfiable' }
  return { kind: 'part', start, end: last === '' ? size : Math.min(Number(last) + 1, size) }
}
