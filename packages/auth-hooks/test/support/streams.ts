/** A stream of some chunks. */
export function streamFrom(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

/** An `init` with `duplex`, which the types of the web platform do not know yet. */
export type StreamingInit = RequestInit & { duplex?: 'half' }
