import { type ChunkSource, chunksOf } from './stream.ts'

const limitBytes = 64 * 1024
const limitMs = 1000

/**
 * Reads and discards a response that is not wanted, so that its connection can serve later requests, for as long as it is
 * small and fast. Never rejects and is not waited for: a body that does not end would hold up the request.
 */
export async function drain(response: { readonly body: ChunkSource | null }): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    if (!response.body) return
    const chunks = chunksOf(response.body)[Symbol.asyncIterator]()
    const cancel = (): void => void chunks.return?.().catch(() => {})
    timer = setTimeout(cancel, limitMs)
    for (let size = 0; size <= limitBytes;) {
      const { done, value } = await chunks.next()
      if (done) return
      // Endless chunks of nothing would let no timer fire.
      size += value.byteLength || 1
    }
    cancel()
  } catch {
    // The connection is gone; the response was unwanted anyway.
  } finally {
    clearTimeout(timer)
  }
}
