import { headerOf, type PastedRequest } from './pasted-request.ts'

/** A body in the form in which it was probably sent, and the remark on it. */
export interface BodyForm {
  readonly body: Uint8Array<ArrayBuffer>
  readonly note: string | undefined
}

/**
 * Finds the bytes that were sent: pasting a text loses its line breaks' CR, and often adds a break at the end. The
 * hash that the request tells says which form it was; else its length does.
 */
export function findBodyForm(
  { headers, body }: PastedRequest,
  hash: (bytes: Uint8Array) => string,
): BodyForm | undefined {
  if (!body) return undefined
  const hasLength = headerOf(headers, 'content-length') !== undefined
  const isChunked = headerOf(headers, 'transfer-encoding') !== undefined
  // Blank lines behind a request are those of a text, not of a body.
  if (!hasLength && !isChunked && isBlank(body)) {
    return { body: body.subarray(0, 0), note: 'The blank lines at the end are taken for no body.' }
  }
  const told = headerOf(headers, 'x-amz-content-sha256')?.trim()
  const isHash = told !== undefined && /^[\da-f]{64}$/.test(told)
  const length = headerOf(headers, 'content-length')?.trim()
  const forms = [...formsOf(body), ...cutForm(body, Number(length))]
  for (const [form, note] of forms) {
    const fits = isHash ? hash(form) === told : String(form.byteLength) === length
    if (fits) return { body: form, note }
  }
  return { body, note: undefined }
}

function isBlank(body: Uint8Array): boolean {
  return body.byteLength < 1000 && body.every((byte) => byte === 0x0a || byte === 0x0d)
}

/**
 * Lists the forms in which a pasted body may have been sent, as it stands first.
 *
 * @yields the bytes, with the remark on them.
 */
export function* formsOf(
  body: Uint8Array<ArrayBuffer>,
): Generator<readonly [Uint8Array<ArrayBuffer>, string | undefined]> {
  yield [body, undefined]
  const end = body.at(-1) === 0x0a ? (body.at(-2) === 0x0d ? 2 : 1) : 0
  const trimmed = body.subarray(0, body.byteLength - end)
  if (end > 0) yield [trimmed, 'The body is read without the line break at its end.']
  const withCr = withCrLf(body)
  if (withCr.byteLength === body.byteLength) return
  yield [withCr, 'The body is read with CRLF line breaks, which pasting had made LF.']
  if (end > 0) {
    yield [
      withCrLf(trimmed),
      'The body is read with CRLF line breaks, and without the one at its end.',
    ]
  }
}

/** Leaves out what stands behind the length that the request announces. */
function cutForm(
  body: Uint8Array<ArrayBuffer>,
  length: number,
): readonly [Uint8Array<ArrayBuffer>, string][] {
  if (!(length > 0 && length < body.byteLength)) return []
  const note = `Content-Length says ${length} bytes; what follows them is left out.`
  return [[body.subarray(0, length), note]]
}

function withCrLf(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let count = 0
  for (let index = 0; index < body.length; index += 1) {
    if (body[index] === 0x0a && body[index - 1] !== 0x0d) count += 1
  }
  const written = new Uint8Array(body.length + count)
  let place = 0
  for (let index = 0; index < body.length; index += 1) {
    const byte = Number(body[index])
    if (byte === 0x0a && body[index - 1] !== 0x0d) written[place++] = 0x0d
    written[place++] = byte
  }
  return written
}
