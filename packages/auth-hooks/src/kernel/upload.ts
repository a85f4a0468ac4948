import type { OutgoingBody } from '@svc/types'
import { boundTee } from '#platform'
import { bodyError } from '../kit/errors.ts'
import { assertBytes } from './stream.ts'

/** A body that a scheme gave, on its way through an inner `fetch`. */
export interface UploadStream {
  readonly stream: ReadableStream<Uint8Array>
  /** Lets go of a body that was not sent. Returns its own failure if it had one, else the reason. */
  readonly abort: (reason: unknown) => unknown
  /** Called once there is a response: from then on an abort only ends the source. */
  readonly onResponse: () => void
}

/**
 * Opens a body as a stream for an inner `fetch`: each chunk is asked for when it is wanted, and an
 * abort ends the source too, since not every `fetch` cancels the stream that it was given.
 */
export function toUploadStream(
  body: Pick<OutgoingBody, 'chunks' | 'replayable' | 'size'>,
  signal?: AbortSignal,
): UploadStream {
  const chunks = body.chunks()[Symbol.asyncIterator]()
  let isOver = false
  let hasResponse = false
  let failure: { readonly error: unknown } | undefined
  let controller: ReadableStreamDefaultController<Uint8Array>

  const end = (): void => {
    isOver = true
    signal?.removeEventListener('abort', onAbort)
  }
  const cancel = (reason: unknown): void => {
    if (isOver) return
    end()
    // After the response it has no handler, and Node would report it as unhandled.
    if (!hasResponse) controller.error(reason)
    chunks.return?.().catch(() => {})
  }
  const onAbort = (): void => cancel(signal?.reason)
  signal?.addEventListener('abort', onAbort)

  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      async pull() {
        try {
          const { done, value } = await chunks.next()
          // To close it now would make the part that was sent look whole.
          if (isOver) return
          if (!done) {
            assertBytes(value)
            controller.enqueue(value)
            return
          }
          end()
          controller.close()
        } catch (error) {
          if (!isOver) failure = { error }
          end()
          chunks.return?.().catch(() => {})
          throw error
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
  const again = body.replayable ? () => toUploadStream(body).stream : undefined
  const toString = (): never => {
    throw bodyError(
      'this fetch takes no streams, and would send "[object ReadableStream]"; nothing was sent',
    )
  }
  const sent = boundTee(withLength(stream, body.size), again)
  return {
    stream: Object.defineProperty(sent, 'toString', { value: toString }),
    onResponse() {
      hasResponse = true
    },
    abort(reason) {
      cancel(reason)
      return failure ? failure.error : reason
    },
  }
}

// In workerd the length of a stream is a property of the stream, and no header gives it one.
function withLength(
  stream: ReadableStream<Uint8Array>,
  size: number | undefined,
): ReadableStream<Uint8Array> {
  const { FixedLengthStream } = globalThis as {
    FixedLengthStream?: new (length: number) => ReadableWritablePair<Uint8Array, Uint8Array>
  }
  if (!FixedLengthStream || size === undefined) return stream
  const { readable, writable } = new FixedLengthStream(size)
  // A failure here is one of `readable` as well.
  stream.pipeTo(writable).catch(() => {})
  return readable
}
