import { countedBody, type SerializedBody } from '../kernel/body.ts'
import { contentLength, type OutgoingHeaders } from '../kernel/headers.ts'

/** A body with the changes to headers that frame it. */
export interface FramedBody {
  readonly body: SerializedBody | undefined
  readonly headers: readonly (readonly [name: string, value: string | null])[]
}

/**
 * Frames a body in one way: by its length, which is counted where only the caller knows it, or in
 * chunks. Of a body with two frames, or with a length that is not its own, the rest would be the next
 * request on its connection.
 *
 * @param options - `line` is that of the request, for messages; `mayChunk` keeps a `transfer-encoding: chunked`.
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-6.3
 */
export function frameBody(
  given: SerializedBody | undefined,
  headers: OutgoingHeaders,
  { line, mayChunk }: { readonly line: string; readonly mayChunk: boolean },
): FramedBody {
  const encoding = headers.get('transfer-encoding')
  const announced = headers.get('content-length')
  const isChunked = mayChunk && encoding?.toLowerCase() === 'chunked'
  const body = given && countedBody(given, isChunked ? null : announced, line)
  const length = contentLength(isChunked || !body ? {} : body)
  return {
    body,
    headers: [
      ...(announced === length[1] ? [] : [length]),
      ...(encoding === null || isChunked ? [] : [['transfer-encoding', null] as const]),
    ],
  }
}
