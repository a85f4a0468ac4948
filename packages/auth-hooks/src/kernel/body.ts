/* oxlint-disable typescript/no-unsafe-type-assertion, typescript/no-base-to-string -- values are told apart by their tag, which TypeScript does not follow */
import type { OutgoingBody } from '@svc/types'
import { AuthError } from '../kit/errors.ts'
import { encodeMultipart } from './multipart.ts'

/** A body that was serialised once, and what an inner `fetch` is given of it. */
export interface SerializedBody extends OutgoingBody {
  readonly source: BodySource
}

/** What `fetch` takes as a body. */
export type BodySource = NonNullable<RequestInit['body']>

/** Serialises what `fetch` takes as a body. A stream stays a stream and is not read. */
export function serializeBody(source: BodySource): SerializedBody {
  if (typeof source === 'string') return new TextBody(source, 'text/plain;charset=UTF-8')
  if (ArrayBuffer.isView(source)) {
    return bytesBody(new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice())
  }
  // By tag and not by class, since a value of another realm or of a package is just as good.
  switch (Object.prototype.toString.call(source).slice(8, -1)) {
    case 'ArrayBuffer':
      return bytesBody(new Uint8Array(source as ArrayBuffer).slice())
    case 'URLSearchParams':
      return new TextBody(String(source), 'application/x-www-form-urlencoded;charset=UTF-8')
    case 'Blob':
    case 'File': {
      const blob = source as Blob
      return blobBody(blob, blob.type)
    }
    case 'FormData': {
      const { blob, contentType } = encodeMultipart(source as FormData)
      return blobBody(blob, contentType)
    }
  }
  if (typeof source === 'object' && (source instanceof ReadableStream || isAsyncIterable(source))) {
    return streamBody(source)
  }
  return new TextBody(String(source), 'text/plain;charset=UTF-8')
}

// undici takes these, and with it Node's own streams.
function isAsyncIterable(source: object): source is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in source
}

/** A body of bytes that nobody else changes. */
export function bytesBody(bytes: Uint8Array<ArrayBuffer>): SerializedBody {
  return {
    source: bytes,
    size: bytes.byteLength,
    replayable: true,
    inMemory: true,
    bytes: () => bytes,
    chunks: () => iterate(bytes),
  }
}

/** A body that can be read once, or is the body of a `Request` that is too large to keep. */
export function streamBody(stream: AsyncIterable<Uint8Array> | ReadableStream): SerializedBody {
  return {
    source: stream as BodySource,
    replayable: false,
    bytes: () =>
      Promise.reject(
        new AuthError(
          'ERR_AUTH_BODY',
          '[@svc/auth-hooks] a stream cannot be read before it is sent',
        ),
      ),
    chunks: () => chunksOf(stream),
  }
}

/** A class, since an object with a getter of its own is made by the runtime, ten times as slowly. */
class TextBody implements SerializedBody {
  readonly replayable = true
  readonly inMemory = true
  readonly source: string
  readonly text: string
  readonly contentType: string
  #bytes: Uint8Array | undefined

  constructor(text: string, contentType: string) {
    this.source = text
    this.text = text
    this.contentType = contentType
  }

  get size(): number {
    return this.bytes().byteLength
  }

  readonly bytes = (): Uint8Array => (this.#bytes ??= new TextEncoder().encode(this.text))

  readonly chunks = (): AsyncIterable<Uint8Array> => iterate(this.bytes())
}

function blobBody(blob: Blob, contentType: string): SerializedBody {
  return {
    source: blob,
    size: blob.size,
    replayable: true,
    ...(contentType && { contentType }),
    bytes: async () => new Uint8Array(await blob.arrayBuffer()),
    chunks: () => chunksOf(blob.stream()),
  }
}

async function* iterate(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The pieces of a stream, which is cancelled at once where its reader has enough of it. */
function chunksOf(
  stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): AsyncIterable<Uint8Array> {
  // Safari's ReadableStream is no async iterable, and an async generator would hear of its end only
  // after a read that is under way.
  if (!(stream instanceof ReadableStream)) return { [Symbol.asyncIterator]: () => piecesOf(stream) }
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader()
      return {
        next: () => reader.read() as Promise<IteratorResult<Uint8Array, undefined>>,
        async return() {
          await reader.cancel()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

function piecesOf(
  stream: AsyncIterable<Uint8Array> & { destroy?: () => void },
): AsyncIterator<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]()
  return {
    next: () => pieces.next(),
    async return() {
      // The iterator of a Node stream hears of its end late as well.
      stream.destroy?.()
      await pieces.return?.()
      return { done: true, value: undefined }
    },
  }
}
