import { Readable } from 'node:stream'
import type { BodyVerifier, OpenedSigV4, RawRequestHead } from '@svc/emulator/verify'
import type { HeaderLines } from './headers.ts'
import { ProxyRefusal } from './refusal.ts'
import { headerValues } from './request-head.ts'
import type { ServiceRoute } from './target.ts'

/** A body as it goes on, and the headers that belong to it. */
export interface PassedBody {
  readonly upload: Upload
  readonly headers: HeaderLines
}

/** A body on its way to the service: bytes if it is a block or less, which can be sent again. */
export type Upload = Buffer | Readable

/** A body that comes. */
export interface BodySource {
  readonly source: Readable
  readonly head: RawRequestHead
  readonly route: ServiceRoute
  readonly signature: OpenedSigV4 | undefined
  /** `true` if a stream may be sent without being signed: over https, or on this machine. */
  readonly isPrivate: boolean
  /** Counts what is passed on. */
  readonly onBytes: (bytes: number) => void
}

/**
 * Opens a body, and decides how it goes on. A checksum of the trailer was verified with it: with a body that is
 * whole it goes on as a header, with a stream as a trailer again.
 */
export async function openBody(body: BodySource): Promise<PassedBody> {
  const { source, head, route, signature, isPrivate, onBytes } = body
  const opened = await openUpload(source, signature?.body, onBytes)
  const isWhole = Buffer.isBuffer(opened)
  const isUnwrapped = signature?.payload.includes('chunks') === true
  const [length] = headerValues(
    head,
    isUnwrapped ? 'x-amz-decoded-content-length' : 'content-length',
  )
  const verified = isUnwrapped && route === 'signature' ? signature.body : undefined
  const trailer = headerValues(head, 'x-amz-trailer').join().trim().toLowerCase()
  if (verified && isPrivate && !isWhole && checksumLengths.has(trailer)) {
    return chunkedBody(opened, Number(length), trailer, verified)
  }
  const upload = sendable(opened, head.method)
  const isFramed = upload instanceof Readable && length !== undefined
  const framing: HeaderLines = isFramed ? [['content-length', length]] : []
  if (verified && isWhole) {
    const checksums = verified.trailers.filter(([name]) => checksumLengths.has(name))
    return { upload, headers: [...framing, ...checksums] }
  }
  const hash = signature?.payloadHash ?? headerValues(head, 'x-amz-content-sha256').join()
  // A hash that was declared is signed again; that of a whole body which was verified is counted anew.
  const isCounted = Buffer.isBuffer(upload) && signature !== undefined
  const isDeclared = route === 'signature' && /^[\da-f]{64}$/.test(hash) && !isCounted
  const declared: HeaderLines = isDeclared ? [['x-amz-content-sha256', hash]] : []
  return { upload, headers: [...framing, ...declared] }
}

/**
 * Returns a body as it can be sent. Over HTTP/2, undici sends bytes with three methods alone: any other request
 * with bytes fails, and the next one would wait in vain.
 */
function sendable(opened: OpenedBody, method: string): Upload {
  if (!Buffer.isBuffer(opened)) return streamOf(opened)
  const takesBytes = opened.byteLength === 0 || /^(?:PATCH|POST|PUT)$/.test(method)
  return takesBytes ? opened : streamOf([opened])
}

function chunkedBody(
  blocks: AsyncIterable<Buffer>,
  size: number,
  trailer: string,
  verified: BodyVerifier,
): PassedBody {
  return {
    upload: streamOf(frameChunks(blocks, trailer, verified)),
    headers: [
      ['content-length', String(framedLength(size, trailer))],
      ['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
      ['x-amz-decoded-content-length', String(size)],
      ['x-amz-trailer', trailer],
    ],
  }
}

/** The trailers that bring a checksum, and the lengths of their values in base64. */
const checksumLengths: ReadonlyMap<string, number> = new Map([
  ['x-amz-checksum-crc32', 8],
  ['x-amz-checksum-crc32c', 8],
  ['x-amz-checksum-crc64nvme', 12],
  ['x-amz-checksum-sha1', 28],
  ['x-amz-checksum-sha256', 44],
])

/**
 * Frames each block as a chunk that is not signed, and the checksum, which is known once they have ended, as a trailer.
 *
 * @yields the chunks, and the trailer.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
async function* frameChunks(
  blocks: AsyncIterable<Buffer>,
  trailer: string,
  verified: BodyVerifier,
): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) {
    yield Buffer.from(`${block.byteLength.toString(16)}\r\n`)
    yield block
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`0\r\n${trailer}:${verified.trailers.map(([, value]) => value).join()}\r\n\r\n`)
}

/** Returns the length of a body that {@link frameChunks} frames. */
function framedLength(size: number, trailer: string): number {
  const framed = (bytes: number): number => bytes.toString(16).length + bytes + '\r\n\r\n'.length
  const rest = size % blockBytes
  const data = Math.floor(size / blockBytes) * framed(blockBytes) + (rest > 0 ? framed(rest) : 0)
  return data + '0\r\n:\r\n\r\n'.length + trailer.length + (checksumLengths.get(trailer) ?? 0)
}

/** The size of the blocks that a body is passed on in, of which the last are held back until all of it was verified. */
const blockBytes = 64 * 1024

/** A body that was begun to read: all of it if it is a block or less, else blocks that are full but for the last. */
type OpenedBody = Buffer | AsyncIterable<Buffer>

/**
 * Reads the beginning of a body, and all of one of at most 64 KiB. The blocks of a longer one end only once the
 * verifier agrees: they fail with a `ProxyRefusal` before their last 64 KiB, and the request with them.
 * `onBytes` counts what is passed on.
 */
async function openUpload(
  source: Readable,
  verifier: BodyVerifier | undefined,
  onBytes: (bytes: number) => void,
): Promise<OpenedBody> {
  const blocks = blocksOf(verifiedPieces(source, verifier), onBytes)
  const { value: first = Buffer.alloc(0) } = await blocks.next()
  const second = await blocks.next()
  return second.done ? first : joined([first, second.value], blocks)
}

async function* joined(
  begun: readonly Buffer[],
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield* begun
  yield* rest
}

/** Returns blocks as a stream. */
function streamOf(blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Upload {
  // Without these, a stream of an iterator counts its pieces, and reads sixteen of them ahead.
  const options = { objectMode: false, highWaterMark: blockBytes }
  return Readable.from(blocks, options)
}

// A full block waits for the next one to be full, or for the end of the pieces.
async function* blocksOf(
  pieces: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Buffer, undefined> {
  const counted = (passed: Buffer): Buffer => {
    onBytes(passed.byteLength)
    return passed
  }
  let held: Buffer | undefined
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
      if (held) yield counted(held)
      held = block
      block = Buffer.allocUnsafe(blockBytes)
      used = 0
    }
  }
  if (held) yield counted(held)
  if (used > 0) yield counted(block.subarray(0, used))
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
