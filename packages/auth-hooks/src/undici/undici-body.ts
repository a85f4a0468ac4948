/* oxlint-disable typescript/no-unsafe-type-assertion -- undici takes more as a body than its types say, and values are told apart by what they can do */
import { AuthError } from '../kit/errors.ts'
import type { MaybePromise } from '../kit/maybe-promise.ts'
import {
  type BodySource,
  bytesBody,
  type SerializedBody,
  serializeBody,
  streamBody,
} from '../kernel/body.ts'

/**
 * Serialises what undici takes as a body. A stream stays a stream; `fetch` gives a dispatcher an
 * iterator whatever its own body was, which is read back where the length is announced and small.
 *
 * @throws AuthError `ERR_AUTH_BODY` where such a body is not as long as announced.
 */
export function readBody(
  source: unknown,
  contentLength: string | null,
  maxReplayBytes: number,
): MaybePromise<SerializedBody | undefined> {
  if (source === null || source === undefined) return undefined
  // Unlike `fetch`, undici sends no content type of its own with a text.
  if (typeof source === 'string') return bytesBody(new TextEncoder().encode(source))
  if (isWhole(source)) return serializeBody(source)
  if (source instanceof ReadableStream) return streamBody(source)

  const pieces = piecesOf(source as Pieces)
  const size = /^\d+$/.test(contentLength ?? '') ? Number(contentLength) : Infinity
  const isStream = typeof (source as Pieces).pipe === 'function'
  if (!isStream && size <= maxReplayBytes) return readWhole(pieces, size)
  return { ...streamBody(pieces), source: source as BodySource }
}

/** What undici iterates over: Node's streams too. */
interface Pieces extends AsyncIterable<Uint8Array | string> {
  readonly pipe?: unknown
}

function isWhole(source: unknown): source is BodySource {
  if (ArrayBuffer.isView(source)) return true
  // By tag and not by class, since a value of a package is just as good.
  const tag = Object.prototype.toString.call(source).slice(8, -1)
  return ['ArrayBuffer', 'Blob', 'File', 'FormData', 'URLSearchParams'].includes(tag)
}

// The iterators that undici takes may also give text.
async function* piecesOf(source: Pieces): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

async function readWhole(pieces: AsyncIterable<Uint8Array>, size: number): Promise<SerializedBody> {
  const bytes = new Uint8Array(size)
  let offset = 0
  for await (const piece of pieces) {
    if (offset + piece.byteLength <= size) bytes.set(piece, offset)
    offset += piece.byteLength
    if (offset > size) break
  }
  if (offset === size) return bytesBody(bytes)
  throw new AuthError(
    'ERR_AUTH_BODY',
    `[@svc/auth-hooks] the length of the body does not match its content-length (${size})`,
  )
}
