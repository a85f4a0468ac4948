import { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { OutgoingBody } from '@svc/types'

/** A body in memory, as the kernel hands it to a scheme. */
export function memoryBody(bytes: Uint8Array): OutgoingBody {
  return {
    size: bytes.byteLength,
    replayable: true,
    inMemory: true,
    bytes: () => bytes,
    async *chunks() {
      yield bytes
    },
  }
}

/** Reads a body to its end. */
export async function collect(body: OutgoingBody | undefined): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body?.chunks() ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A stream of what is iterated. */
export function streamFrom(pieces: Iterable<unknown>): ReadableStream {
  // The same class, which has another type for each library that describes it.
  return NodeReadableStream.from(pieces) as ReadableStream
}

/** A stream that counts what is pulled out of it, and notices its cancellation. */
export interface WatchedStream {
  readonly stream: ReadableStream<Uint8Array>
  readonly pulled: () => number
  /** Settles where the stream is cancelled. */
  readonly cancelled: Promise<void>
}

/** The next item of a watched stream: bytes, its end, an error to fail with, or nothing for ever. */
export type Piece = Uint8Array | 'end' | Error | 'stall'

/** A stream that is made piece by piece, when it is pulled. */
export function watchedStream(next: (index: number) => Piece): WatchedStream {
  let index = 0
  let pulled = 0
  let cancel = (): void => {}
  const cancelled = new Promise<void>((resolve) => {
    cancel = resolve
  })
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // A source has its own pace: one that gives its pieces at once would hide a reader that runs ahead.
        await new Promise((resolve) => {
          setImmediate(resolve)
        })
        const piece = next(index)
        index += 1
        if (piece === 'stall') return new Promise(() => {})
        if (piece === 'end') controller.close()
        else if (piece instanceof Error) controller.error(piece)
        else {
          pulled += piece.byteLength
          controller.enqueue(piece)
        }
        return undefined
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
  return { stream, pulled: () => pulled, cancelled }
}

/** An `init` with a stream, and `duplex`, which the types of the web platform do not know yet. */
export function streamInit(
  body: unknown,
  headers: Record<string, string> = {},
): RequestInit & { duplex: 'half' } {
  // A Node stream is a body for every `fetch` of Node, and for no type.
  return { method: 'PUT', headers, body: body as ReadableStream, duplex: 'half' }
}
