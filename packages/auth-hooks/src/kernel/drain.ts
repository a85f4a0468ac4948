import { type ChunkSource, chunksOf } from './stream.ts'

const limitBytes = 64 * 1024
const limitMs = 1000

/**
 * Reads and discards a response that nobody wants, so that its connection can serve later requests. Never
 * rejects and is not waited for: a body that does not end would hold up the request.
 */
export async function drain(response: { readonly body: ChunkSource | null }): Promise<void> {
  try {
    if (response.body) await readSome(response.body, () => {})
  } catch {
    // The connection is gone; the response was unwanted anyway.
  }
}

/** Reads the beginning of a body as text, as much of it as comes within a second. */
export async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    await readSome(body, (chunk) => {
      text += decoder.decode(chunk, { stream: true })
    })
  } catch {
    // What came is all that there is.
  }
  return text
}

/** Reads a body for as long as it is small and fast, then ends it. */
async function readSome(body: ChunkSource, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  const chunks = chunksOf(body)[Symbol.asyncIterator]()
  const cancel = (): void => void chunks.return?.().catch(() => {})
  const timer = setTimeout(cancel, limitMs)
  try {
    for (let size = 0; size <= limitBytes;) {
      const { done, value } = await chunks.next()
      if (done) return
      // Endless chunks of nothing would let no timer fire.
      size += value.byteLength || 1
      onChunk(value)
    }
    cancel()
  } finally {
    clearTimeout(timer)
  }
}
