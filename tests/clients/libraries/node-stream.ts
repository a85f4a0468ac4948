import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'

/** A stream of the web platform as one of Node's. */
export function nodeStream(stream: ReadableStream<Uint8Array>): Readable {
  // The same class, which the types of Node and of the web platform describe apart.
  return Readable.fromWeb(stream as NodeReadableStream<Uint8Array>)
}
