import { trimBlanks } from './canonical-request.ts'
import { type PayloadKind, reject, type Rejected } from './result.ts'

/** The kinds of payload that are framed in chunks. */
export type ChunkedKind = Exclude<PayloadKind, 'signed' | 'unsigned'>

/** Trailers, with their names in lower case, in the order of the wire. */
export type Trailers = readonly (readonly [name: string, value: string])[]

/** Called with what an `aws-chunked` body holds, in the order of the wire. */
export interface ChunkVisitor {
  /** A piece of a chunk's data: a view of the bytes that were written. */
  data(piece: Uint8Array): void
  /** The end of a chunk, the empty last one included; its signature is empty if chunks are not signed. */
  chunkEnd(signature: string): void
}

/** Takes an `aws-chunked` body apart as it arrives. It believes nothing, and keeps no more than a line. */
export interface ChunkReader {
  /** Takes the next bytes. What follows a wrong byte is ignored. */
  write(bytes: Uint8Array): void
  /** The first fault of the framing, as soon as it is known. */
  readonly rejected: Rejected | undefined
  /** Ends the body; returns its trailers, `x-amz-trailer-signature` included. */
  end(): { readonly ok: true; readonly trailers: Trailers } | Rejected
}

const minChunkBytes = 8192
/** The longest head of a chunk has 93 bytes. */
const maxHeadBytes = 128
/** Room for every checksum that S3 knows, and the signature. */
const maxTrailerBytes = 4096

/**
 * Creates a reader of a body with this framing:
 *
 * ```text
 * <size in hex>[;chunk-signature=<64 hex>]\r\n <data> \r\n … 0[;chunk-signature=…]\r\n
 * [<trailer>:<value>\r\n … x-amz-trailer-signature:<64 hex>\r\n]
 * \r\n
 * ```
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
export function createChunkReader(kind: ChunkedKind, visitor: ChunkVisitor): ChunkReader {
  const head =
    kind === 'unsigned-chunks-trailer'
      ? /^([0-9a-fA-F]{1,12})$/
      : /^([0-9a-fA-F]{1,12});chunk-signature=([0-9a-f]{64})$/
  const lines = createLineReader()
  const trailers: [name: string, value: string][] = []
  let state: 'head' | 'data' | 'data-end' | 'trailers' | 'end' = 'head'
  let rejected: Rejected | undefined
  let signature = ''
  let restOfChunk = 0
  let trailerBytes = 0
  let sizeBefore = minChunkBytes
  let chunkCount = 0
  let shortChunk: Rejected | undefined

  const readHead = (line: string): Rejected | undefined => {
    const [, hex, signed = ''] = head.exec(line) ?? []
    if (hex === undefined) return rejectIncomplete()
    const size = Number.parseInt(hex, 16)
    // Only once another chunk follows it is known that a short one was not the last.
    if (size > 0 && sizeBefore < minChunkBytes) {
      shortChunk ??= rejectShortChunk(chunkCount, sizeBefore)
    }
    chunkCount += 1
    sizeBefore = size
    restOfChunk = size
    signature = signed
    state = 'data'
    if (size > 0) return undefined
    visitor.chunkEnd(signature)
    state = 'trailers'
    return shortChunk
  }
  const readTrailer = (line: string): Rejected | undefined => {
    if (line === '') {
      state = 'end'
      return undefined
    }
    trailerBytes += line.length
    if (kind === 'signed-chunks') return rejectIncomplete()
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(line) ?? []
    if (name === undefined || value === undefined || trailerBytes > maxTrailerBytes) {
      return rejectTrailer()
    }
    trailers.push([name.toLowerCase(), trimBlanks(value)])
    return undefined
  }
  const readLine = (line: string): Rejected | undefined => {
    if (state === 'head') return readHead(line)
    if (state === 'trailers') return readTrailer(line)
    state = 'head'
    return line === '' ? undefined : rejectIncomplete()
  }
  const overlong = (): Rejected | undefined => {
    const isTrailer = state === 'trailers'
    if (lines.pendingBytes() <= (isTrailer ? maxTrailerBytes : maxHeadBytes)) return undefined
    return isTrailer && kind !== 'signed-chunks' ? rejectTrailer() : rejectIncomplete()
  }

  return {
    write(given) {
      let bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
      while (bytes.byteLength > 0 && rejected === undefined) {
        if (state === 'data') {
          const piece = bytes.subarray(0, restOfChunk)
          bytes = bytes.subarray(piece.byteLength)
          restOfChunk -= piece.byteLength
          visitor.data(piece)
          if (restOfChunk > 0) continue
          visitor.chunkEnd(signature)
          state = 'data-end'
        } else if (state === 'end') {
          rejected = rejectIncomplete()
        } else {
          const { line, used } = lines.read(bytes)
          bytes = bytes.subarray(used)
          rejected = line === undefined ? overlong() : readLine(line)
        }
      }
    },
    get rejected() {
      return rejected
    },
    end() {
      if (rejected === undefined && state !== 'end') rejected = rejectIncomplete()
      return rejected ?? { ok: true, trailers }
    },
  }
}

/** The most that is looked at in one piece for the end of a line. */
const lineWindow = maxTrailerBytes + 2

function createLineReader() {
  let pending = ''
  return {
    /** Returns the line up to the next CRLF as a byte string, if it ends in these bytes. */
    read(bytes: Buffer): { readonly line: string | undefined; readonly used: number } {
      const before = pending.length
      const text = pending + bytes.toString('latin1', 0, lineWindow)
      const end = text.indexOf('\r\n', Math.max(0, before - 1))
      pending = end === -1 ? text : ''
      return end === -1
        ? { line: undefined, used: text.length - before }
        : { line: text.slice(0, end), used: end + 2 - before }
    },
    pendingBytes: (): number => pending.length,
  }
}

function rejectIncomplete(): Rejected {
  return reject('IncompleteBody', 'The request body terminated unexpectedly')
}

function rejectShortChunk(count: number, size: number): Rejected {
  return reject(
    'InvalidChunkSizeError',
    'Only the last chunk is allowed to have a size less than 8192 bytes',
    [
      // S3 counts from the chunk after the bad one: it learns there that the bad one was not the last.
      ['Chunk', String(count + 1)],
      ['BadChunkSize', String(size)],
    ],
  )
}

/** Makes the rejection of trailers that are malformed, or others than were announced. */
export function rejectTrailer(): Rejected {
  return reject(
    'MalformedTrailerError',
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  )
}
