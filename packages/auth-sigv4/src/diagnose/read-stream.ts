import { call, hasMethod } from './fields.ts'

/** The time for which a stream that does not end is read. */
const maxReadMs = 2000
/** The bytes that an empty chunk counts as. */
const emptyBytes = 1024

/**
 * Reads a stream of the web, or one of Node's as node-fetch has it, to its end, or as far as it comes.
 *
 * @param onChunk - Gets the bytes, no more than `maxBytes` in all.
 * @returns `full` after `maxBytes`, whether or not there is more, and `late` after 2 s.
 * @throws the error of the stream.
 */
export async function readStream(
  stream: unknown,
  maxBytes: number,
  onChunk: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<'ended' | 'full' | 'late'> {
  // Of this realm, of another, or of a package: what it is, is told by its methods.
  const reader = hasMethod(stream, 'getReader')
    ? (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader()
    : (stream as AsyncIterable<Uint8Array<ArrayBuffer>>)[Symbol.asyncIterator]()
  const { late, clear } = startDeadline()
  try {
    for (let size = 0; size < maxBytes;) {
      const next = await Promise.race(['read' in reader ? reader.read() : reader.next(), late])
      if (next === 'late') return next
      if (next.done) return 'ended'
      const chunk = next.value.subarray(0, maxBytes - size)
      // Chunks of nothing count too: as long as they come, no timer fires.
      size += chunk.byteLength || emptyBytes
      onChunk(chunk)
    }
    return 'full'
  } finally {
    clear()
    // Not awaited: one branch of a tee settles its cancel only when the other one is done.
    Promise.resolve(call(reader, 'cancel' in reader ? 'cancel' : 'return')).catch(() => {})
  }
}

/** Starts the time limit for reading a body. */
export function startDeadline(): { readonly late: Promise<'late'>; readonly clear: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, maxReadMs, 'late')
  })
  return { late, clear: () => clearTimeout(timer) }
}
