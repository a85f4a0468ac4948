/* oxlint-disable typescript/no-unsafe-type-assertion -- streams are told apart by their methods */
import { bodyError } from '../kit/errors.ts'

/** Bytes in a buffer of their own, in words that TypeScript before 5.7 understands too. */
export type OwnBytes = ReturnType<InstanceType<typeof TextEncoder>['encode']>

/** A stream, or an object that iterates like one: those of Node give text too. */
export type ChunkSource =
  | ReadableStream<Uint8Array>
  | ((AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>) & {
      destroy?(): unknown
    })

/** Tells if a value is an object with a property, of its own or inherited. */
export function has(source: unknown, name: PropertyKey): boolean {
  return typeof source === 'object' && source !== null && name in source
}

/** Tells if a value is a web stream, which a runtime may not have at all. */
export function isWebStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof ReadableStream === 'function' && value instanceof ReadableStream
}

/** Iterates over a stream, which ends at once when its reader has enough of it. */
export function chunksOf(stream: ChunkSource): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () =>
      // Safari's ReadableStream is no async iterable.
      isWebStream(stream) ? iterateStream(stream) : iterateSource(stream),
  }
}

/** Returns an iterator that ends at once, while an async generator waits for a read that is under way. */
export function iteratorOf<T>(
  next: () => Promise<IteratorResult<T, undefined>>,
  end: (reason?: unknown) => unknown,
): AsyncIterator<T, undefined> {
  return {
    next,
    async return(reason?: unknown) {
      await end(reason)
      return { done: true, value: undefined }
    },
  }
}

function iterateStream(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array, undefined> {
  const reader = stream.getReader()
  const next = (): Promise<IteratorResult<Uint8Array, undefined>> =>
    reader.read() as Promise<IteratorResult<Uint8Array, undefined>>
  return iteratorOf(next, (reason) => reader.cancel(reason))
}

function iterateSource(
  source: Exclude<ChunkSource, ReadableStream>,
): AsyncIterator<Uint8Array, undefined> {
  const chunks = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : iterate(source)
  return iteratorOf(
    async () => {
      const { done, value } = await chunks.next()
      if (done) return { done, value: undefined }
      return { value: typeof value === 'string' ? new TextEncoder().encode(value) : value }
    },
    () => {
      // The iterator of a Node stream hears of its end late as well.
      source.destroy?.()
      return chunks.return?.()
    },
  )
}

/**
 * Listens for the failure of a stream of Node's, from the moment that a caller hands it over: one that
 * fails before it is read would end the process. Its reader still gets the failure.
 */
export function guardStream(source: unknown): void {
  if (typeof source !== 'object' || source === null) return
  const { on, pipe } = source as { on?: unknown; pipe?: unknown }
  if (typeof on === 'function' && typeof pipe === 'function') on.call(source, 'error', () => {})
}

/** Ends a stream that will not be sent, and with it the file or the connection that it reads. */
export function releaseStream(source: unknown, reason?: unknown): void {
  try {
    if (isWebStream(source)) {
      if (!source.locked) source.cancel(reason).catch(() => {})
    } else if (typeof source === 'object' && source !== null && 'destroy' in source) {
      if (typeof source.destroy === 'function') source.destroy()
    }
  } catch {
    // One that throws whatever is done to it must not hide why it is released.
  }
}

/** Reads a stream whole; `undefined` if it is larger than the limit, or does not give bytes. */
export async function readUpTo(
  chunks: AsyncIterator<Uint8Array, undefined>,
  limit: number,
): Promise<OwnBytes | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    size += next.value.byteLength
    // A chunk of another kind is left to `fetch`, which has its own error for it.
    if (!ArrayBuffer.isView(next.value) || size > limit) {
      // Not awaited: one branch of a tee settles its cancel only when the other one is done.
      chunks.return?.().catch(() => {})
      return undefined
    }
    parts.push(next.value)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.byteLength
  }
  return bytes
}

/** Throws unless a chunk of a body is bytes: a `fetch` may never settle where it is given anything else. */
export function assertBytes(chunk: unknown): void {
  if (ArrayBuffer.isView(chunk)) return
  throw bodyError('the body produced something other than bytes')
}

/**
 * Counts a stream against the length that was announced for it: what is longer would become the next
 * request on its connection, with the credential of this one.
 *
 * @throws AuthError `ERR_AUTH_BODY` from the iteration, before the first byte too many.
 */
export function countChunks(
  chunks: AsyncIterable<Uint8Array>,
  announced: number,
  requestLine: string,
): AsyncIterable<Uint8Array> {
  return inspectChunks(chunks, (size, isOver) => {
    if (isOver ? size === announced : size <= announced) return
    const comparison = size < announced ? 'shorter' : 'longer'
    throw bodyError(
      `${requestLine}: the body is ${comparison} than its content-length (${announced})`,
    )
  })
}

/** Iterates over a stream of bytes; `inspect` sees its size before each chunk is passed on, and at its end. */
export function inspectChunks(
  chunks: AsyncIterable<Uint8Array>,
  inspect: (size: number, isOver: boolean) => void,
): AsyncIterable<Uint8Array> {
  const start = (): AsyncIterator<Uint8Array, undefined> => {
    const iterator = chunks[Symbol.asyncIterator]()
    let size = 0
    return iteratorOf(
      async () => {
        const next = await iterator.next()
        try {
          if (!next.done) {
            assertBytes(next.value)
            size += next.value.byteLength
          }
          inspect(size, next.done === true)
        } catch (error) {
          iterator.return?.().catch(() => {})
          throw error
        }
        return next
      },
      () => iterator.return?.(),
    )
  }
  return { [Symbol.asyncIterator]: start }
}

export async function* iterate<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}
