import type { PendingRequest } from './pending.ts'
import { headBytes, type RawRequest, type RawRequestHead } from './request.ts'

/** A request that arrived, its body empty if that was refused. */
export interface Arrival {
  readonly request: RawRequest
  readonly refusal: BodyRefusal | undefined
}

/** The reason why a body was not read to its end: it is too large, or too much else is under way. */
type BodyRefusal = 'too-large' | 'no-room'

/** Reads a request to the end of its body, unless that is too large or there is no room for it. */
export async function receive(
  head: RawRequestHead,
  stream: AsyncIterable<Uint8Array> | null,
  maxBodyBytes: number,
  pending: PendingRequest,
): Promise<Arrival> {
  // Its rejection may quote every byte of a head in hexadecimal, encoded and escaped.
  const body = pending.add(8 * headBytes(head))
    ? await collectBody(stream, maxBodyBytes, pending)
    : 'no-room'
  return typeof body === 'string'
    ? { request: { ...head, body: new Uint8Array() }, refusal: body }
    : { request: { ...head, body }, refusal: undefined }
}

// One block that doubles, since chunks may be a byte each, and every chunk kept is an object.
async function collectBody(
  stream: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
  pending: PendingRequest,
): Promise<Uint8Array | BodyRefusal> {
  let block = new Uint8Array()
  let size = 0
  for await (const chunk of stream ?? []) {
    const end = size + chunk.byteLength
    if (end > maxBytes) return 'too-large'
    if (end > block.byteLength) {
      const larger = new Uint8Array(Math.max(end, Math.min(2 * block.byteLength, maxBytes)))
      if (!pending.add(larger.byteLength - block.byteLength)) return 'no-room'
      larger.set(block)
      block = larger
    }
    block.set(chunk, size)
    size = end
  }
  return size === block.byteLength ? block : block.slice(0, size)
}
