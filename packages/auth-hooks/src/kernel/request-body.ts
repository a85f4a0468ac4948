import { bytesBody, type SerializedBody, streamBody } from './body.ts'

/**
 * The body of a `Request`: bytes where a clone of it ends within the limit, else a stream.
 *
 * The request itself keeps its own body for sending, since sending that keeps its content length.
 */
export async function readRequestBody(
  request: Request,
  maxReplayBytes: number,
  signal: AbortSignal | undefined,
): Promise<SerializedBody | undefined> {
  const mayHaveBody = request.method !== 'GET' && request.method !== 'HEAD'
  // Firefox has no `Request.body` and gives undefined, whatever the request holds.
  if (request.body === null || !mayHaveBody) return undefined
  const clone = request.clone()
  if (!clone.body) {
    const bytes = new Uint8Array(await clone.arrayBuffer())
    return bytes.byteLength > 0 ? bytesBody(bytes) : undefined
  }
  // What it has since it was cloned is a branch of what it had.
  const { body } = request
  const reader = clone.body.getReader()
  const abort = (): void => {
    // The source ends where both of its branches do.
    for (const branch of [reader, body]) branch.cancel(signal?.reason).catch(() => {})
  }
  signal?.addEventListener('abort', abort)
  try {
    const bytes = await readUpTo(reader, maxReplayBytes)
    return bytes ? bytesBody(bytes) : streamBody(body)
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

async function readUpTo(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength
    // What is no chunk of bytes is left to `fetch`, which has its own error for it.
    if (!ArrayBuffer.isView(next.value) || size > limit) {
      // Not awaited: one branch of a tee settles its cancel only when the other one is done.
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(next.value)
  }
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
