import type { AuthError } from '@svc/auth-hooks'
import type { OutgoingBody } from '@svc/types'
import { emptyHash } from '../canonical-request.ts'
import type { SignatureChain } from '../payload.ts'
import { crc32c } from './crc32c.ts'

/** The way in which a body is cut into chunks. */
export interface ChunkSettings {
  /** The length of the body that was announced. */
  readonly decodedLength: number
  readonly chunkBytes: number
  readonly hasTrailer: boolean
  /** Returns the error of a body that cannot be sent this way. */
  readonly bodyError: (problem: string) => AuthError
}

/**
 * Cuts a body into signed chunks, each made when it is asked for. At most one chunk is held, beside the
 * piece that the source gave last.
 *
 * @throws AuthError `ERR_AUTH_BODY` from the iteration, ahead of the final chunk, where the body is
 * shorter or longer than was announced; and what the source throws.
 */
export function signedChunks(
  body: OutgoingBody,
  chain: SignatureChain,
  settings: ChunkSettings,
): AsyncIterableIterator<Uint8Array, undefined> {
  const source = body.chunks()[Symbol.asyncIterator]()
  const frames = signFrames(pieceReader(source, settings), chain, settings)
  const release = async (): Promise<void> => {
    await source.return?.()
  }
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        return await frames.next()
      } catch (error) {
        // Not waited for: the error is known.
        release().catch(() => {})
        throw error
      }
    },
    async return() {
      // The source first: a generator hears of its end only after a read that is under way.
      await release()
      return frames.return(undefined)
    },
  }
}

/**
 * Signs chunk by chunk, each chained to the signature before it.
 *
 * @yields the bytes that are sent.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
async function* signFrames(
  pieces: PieceReader,
  chain: SignatureChain,
  { decodedLength, chunkBytes, hasTrailer }: ChunkSettings,
): AsyncGenerator<Uint8Array, undefined> {
  const encoder = new TextEncoder()
  const { amzDate, scope } = chain
  let signature = chain.seed
  /** Signs what follows, chained to the signature before it. */
  const signNext = async (kind: 'PAYLOAD' | 'TRAILER', hashes: string): Promise<void> => {
    signature = await chain.sign(
      `AWS4-HMAC-SHA256-${kind}\n${amzDate}\n${scope}\n${signature}\n${hashes}`,
    )
  }
  let checksum = 0
  let lineBreak = ''
  for (let sent = 0; sent < decodedLength;) {
    const size = Math.min(chunkBytes, decodedLength - sent)
    const data = await pieces.take(size, sent)
    sent += size
    if (hasTrailer) checksum = crc32c(data, checksum)
    await signNext('PAYLOAD', `${emptyHash}\n${await chain.hash(data)}`)
    yield encoder.encode(lineBreak + chunkHeader(size, signature))
    yield data
    lineBreak = '\r\n'
  }
  await pieces.expectEnd()

  await signNext('PAYLOAD', `${emptyHash}\n${emptyHash}`)
  let end = lineBreak + chunkHeader(0, signature)
  if (hasTrailer) {
    const value = base64(checksum)
    await signNext('TRAILER', await chain.hash(`${trailerName}:${value}\n`))
    end += trailerLines(value, signature)
  }
  yield encoder.encode(`${end}\r\n`)
  return undefined
}

interface PieceReader {
  /** Returns the next bytes; `offset` is their place in the body. */
  take(size: number, offset: number): Promise<Uint8Array>
  /** Throws unless the body is at its end. */
  expectEnd(): Promise<void>
}

function pieceReader(
  source: AsyncIterator<Uint8Array>,
  { decodedLength, bodyError }: ChunkSettings,
): PieceReader {
  let piece: Uint8Array = new Uint8Array()

  /** Returns true if there is more; an empty piece is none. */
  const hasMore = async (): Promise<boolean> => {
    while (piece.byteLength === 0) {
      const { done, value } = await source.next()
      if (done) return false
      if (!ArrayBuffer.isView(value)) {
        throw bodyError('the body produced something other than bytes')
      }
      piece = new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    }
    return true
  }

  return {
    async take(size, offset) {
      let joined: Uint8Array | undefined
      for (let filled = 0; ;) {
        if (!(await hasMore())) {
          const length = offset + filled
          throw bodyError(`the body ended after ${length} of the ${decodedLength} bytes announced`)
        }
        const part = piece.subarray(0, size - filled)
        piece = piece.subarray(part.byteLength)
        // Not copied: up to 100 MiB of copies would pile up before V8 collects them.
        if (part.byteLength === size) return part
        joined ??= new Uint8Array(size)
        joined.set(part, filled)
        filled += part.byteLength
        if (filled === size) return joined
      }
    },
    async expectEnd() {
      if (await hasMore()) {
        throw bodyError(`the body is longer than the ${decodedLength} bytes announced`)
      }
    },
  }
}

/** Writes a checksum as its header has it: four bytes, the highest first. */
function base64(checksum: number): string {
  return btoa(String.fromCharCode(...[24, 16, 8, 0].map((shift) => (checksum >>> shift) & 0xff)))
}

/** The number of digits of a signature. */
const signatureLength = 64

/** The header that follows the final chunk. */
export const trailerName = 'x-amz-checksum-crc32c'

/** Returns the line that stands before the bytes of a chunk. */
function chunkHeader(size: number, signature: string): string {
  return `${size.toString(16)};chunk-signature=${signature}\r\n`
}

/** Writes the lines that follow the final chunk's header: trailing headers and their signature. */
function trailerLines(checksum: string, signature: string): string {
  return `${trailerName}:${checksum}\r\nx-amz-trailer-signature:${signature}\r\n`
}

/** Returns the length of a body in chunks, as it is sent. */
export function encodedLength(
  decodedLength: number,
  chunkBytes: number,
  hasTrailer: boolean,
): number {
  // A chunk has its header before it and a line break at its end.
  const framedLength = (size: number): number =>
    chunkHeader(size, '').length + signatureLength + size + 2
  const lastSize = decodedLength % chunkBytes
  const fullChunks = (decodedLength - lastSize) / chunkBytes
  // A CRC-32C is eight digits of Base64.
  const trailerLength = hasTrailer ? trailerLines('crc32c==', '').length + signatureLength : 0
  return (
    fullChunks * framedLength(chunkBytes) +
    (lastSize > 0 ? framedLength(lastSize) : 0) +
    framedLength(0) +
    trailerLength
  )
}
