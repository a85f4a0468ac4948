import type { PassThrough } from 'node:stream'
import type { GotOptions } from './got-options.ts'
import { encodeMultipart } from '../kernel/multipart.ts'
import { type SerializedBody, serializeBody, streamBody } from '../kernel/body.ts'

/** The bodies of forms, by what got is given in place of a form. */
const forms = new WeakMap<object, SerializedBody>()

/**
 * Puts a form into a shape that can be read again: got reads a `FormData` as a stream, which could
 * neither be signed nor be sent once more.
 */
export function keepForm(options: GotOptions): void {
  const { body: form } = options
  if (!(form instanceof FormData)) return
  const { blob, contentType } = encodeMultipart(form)
  const body = serializeBody(blob)
  const source = { [Symbol.asyncIterator]: () => body.chunks()[Symbol.asyncIterator]() }
  forms.set(source, body)
  options.headers['content-type'] ??= contentType
  options.headers['content-length'] = `${blob.size}`
  options.body = source
}

/** The body of a request as got is about to send it. What is not held whole, got writes to a stream. */
export function readGotBody(
  { body, method, isStream, allowGetBody }: GotOptions,
  openWritten: () => PassThrough,
): SerializedBody | undefined {
  if (body === undefined) {
    const hasNone = method === 'HEAD' || (method === 'GET' && !allowGetBody)
    // The caller of `got.stream` writes it, or ends without.
    return isStream && !hasNone ? streamBody(openWritten()) : undefined
  }
  if (typeof body === 'string') return serializeBody(body)
  // got's types allow any view; a shared one cannot be sent by Node.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  if (ArrayBuffer.isView(body)) return serializeBody(body as Uint8Array<ArrayBuffer>)
  const form = typeof body === 'object' && body !== null ? forms.get(body) : undefined
  return form ?? streamBody(openWritten())
}
