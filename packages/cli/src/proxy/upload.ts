import { Readable } from 'node:stream'
import type { BodyVerifier } from '@svc/emulator/verify'
import { ProxyRefusal } from './refusal.ts'

/** The size of the blocks that a body is passed on in, of which the last is held back until all of it was verified. */
export const blockBytes: number = 64 * 1024

/** A body that was begun to read: whole if it is a block or less, else blocks that are full but for the last. */
export type OpenedBody =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'blocks'; readonly blocks: AsyncIterable<Buffer> }

/** A body on its way to the service. */
export type Upload =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'stream'; readonly stream: Readable }

/**
 * Reads the beginning of a body, and all of one of at most 64 KiB. The blocks of a longer one end only once the
 * verifier agrees: they fail with a `ProxyRefusal` before their last 64 KiB, and the request with them.
 * `onBytes` counts what is passed on.
 */
export async function openUpload(
  source: Readable,
  verifier: BodyVerifier | undefined,
  onBytes: (bytes: number) => void,
): Promise<OpenedBody> {
  const blocks = blocksOf(verifiedPieces(source, verifier))
  const first = await blocks.next()
  const second = first.done ? first : await blocks.next()
  if (!first.done && !second.done) {
    return { kind: 'blocks', blocks: holdBack([first.value, second.value], blocks, onBytes) }
  }
  const bytes = first.done ? Buffer.alloc(0) : first.value
  onBytes(bytes.byteLength)
  return { kind: 'whole', bytes }
}

/** Returns blocks as a stream. */
export function streamOf(blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Upload {
  // Without these, a stream of an iterator counts its pieces, and reads sixteen of them ahead.
  const options = { objectMode: false, highWaterMark: blockBytes }
  return { kind: 'stream', stream: Readable.from(blocks, options) }
}

async function* holdBack(
  [first, second]: readonly [Buffer, Buffer],
  rest: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const counted = (block: Buffer): Buffer => {
    onBytes(block.byteLength)
    return block
  }
  yield counted(first)
  let held = second
  for await (const block of rest) {
    yield counted(held)
    held = block
  }
  yield counted(held)
}

async function* blocksOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, undefined> {
  let block = Buffer.allocUnsafe(blockBytes)
  let used = 0
  for await (const piece of pieces) {
    let rest = piece
    while (rest.byteLength > 0) {
      const taken = rest.subarray(0, blockBytes - used)
      block.set(taken, used)
      used += taken.byteLength
      rest = rest.subarray(taken.byteLength)
      if (used < blockBytes) continue
      yield block
      block = Buffer.allocUnsafe(blockBytes)
      used = 0
    }
  }
  if (used > 0) yield block.subarray(0, used)
}

// Throws in place of ending where the body is not as signed.
async function* verifiedPieces(
  source: Readable,
  verifier: BodyVerifier | undefined,
): AsyncGenerator<Uint8Array> {
  // Its end is not that of the connection, which still takes the response.
  for await (const chunk of source.iterator({ destroyOnReturn: false })) {
    const bytes: Uint8Array = chunk
    if (!verifier) yield bytes
    else {
      const pieces = verifier.write(bytes)
      assertBody(verifier.rejected)
      yield* pieces
    }
  }
  assertBody(verifier?.end())
}

function assertBody(rejected: BodyVerifier['rejected']): void {
  if (rejected) throw new ProxyRefusal(rejected.status, rejected.code, rejected.message)
}
