import { isFormRequest, iterateRequest } from '#platform'
import { bytesBody, type SerializedBody, streamBody } from '../kernel/body.ts'
import { type OwnBytes, readUpTo } from '../kernel/stream.ts'

/** Reads the body of a `Request`: as bytes if a clone of it ends within the limit, else as its stream. */
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
    let bytes: OwnBytes
    try {
      bytes = new Uint8Array(await clone.arrayBuffer())
    } catch {
      // React Native has no bytes of a form; the request is sent as it stands.
      return streamBody(request.body as never)
    }
    return bytes.byteLength > 0 ? bytesBody(bytes) : undefined
  }
  // Since it was cloned, its body is a branch of the one that it had.
  const { body } = request
  const isForm = isFormRequest(request)
  const chunks = iterateRequest({ body: clone.body, isForm })
  const abort = (): void => {
    // The source ends when both of its branches do.
    chunks.return?.(signal?.reason).catch(() => {})
    if (!isForm) body.cancel(signal?.reason).catch(() => {})
  }
  signal?.addEventListener('abort', abort)
  try {
    const bytes = await readUpTo(chunks, maxReplayBytes)
    if (!bytes)
      return streamBody(body, () => ({
        [Symbol.asyncIterator]: () => iterateRequest({ body, isForm }),
      }))
    // The bytes are sent in its place: Deno would send a stream, without a length.
    body.cancel().catch(() => {})
    return bytesBody(bytes)
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}
