import { headerValue, type RawRequest } from '../http/request.ts'
import { trimBlanks } from './canonical-request.ts'
import { isChecksumHeader } from './checksums.ts'
import type { SignatureClaim } from './claim.ts'
import { type PayloadKind, reject, type Rejected, rejectSignature } from './result.ts'
import { computeSignature, equalInConstantTime, formatScope, sha256Hex } from './signature.ts'

/** An `aws-chunked` body, taken apart and not yet believed. The last chunk is the empty one. */
interface AwsChunkedBody {
  readonly ok: true
  readonly chunks: readonly AwsChunk[]
  /** Names in lower case, in the order of the wire, `x-amz-trailer-signature` left out. */
  readonly trailers: readonly (readonly [name: string, value: string])[]
  /** `x-amz-trailer-signature`, or empty. */
  readonly trailerSignature: string
}

interface AwsChunk {
  readonly data: Uint8Array
  /** Empty if chunks are not signed. */
  readonly signature: string
}

const minChunkBytes = 8192

/**
 * Takes a body of this framing apart:
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
export function readAwsChunked(
  body: Uint8Array,
  kind: Exclude<PayloadKind, 'signed' | 'unsigned'>,
): AwsChunkedBody | Rejected {
  const head =
    kind === 'unsigned-chunks-trailer'
      ? /^([0-9a-fA-F]{1,12})$/
      : /^([0-9a-fA-F]{1,12});chunk-signature=([0-9a-f]{64})$/
  const reader = createReader(body)
  const chunks: AwsChunk[] = []
  for (;;) {
    const [, hex, signature = ''] = head.exec(reader.line() ?? '') ?? []
    if (hex === undefined) return rejectIncomplete()
    const data = reader.take(Number.parseInt(hex, 16))
    if (data === undefined) return rejectIncomplete()
    chunks.push({ data, signature })
    if (data.byteLength === 0) break
    if (reader.line() !== '') return rejectIncomplete()
  }
  const short = chunks.slice(0, -2).findIndex(({ data }) => data.byteLength < minChunkBytes)
  if (short !== -1) return rejectShortChunk(short, chunks[short]?.data.byteLength ?? 0)

  const trailers: [name: string, value: string][] = []
  for (let line = reader.line(); line !== ''; line = reader.line()) {
    if (line === undefined || kind === 'signed-chunks') return rejectIncomplete()
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/s.exec(line) ?? []
    if (name === undefined || value === undefined) return rejectTrailer()
    trailers.push([name.toLowerCase(), trimBlanks(value)])
  }
  if (!reader.isAtEnd()) return rejectIncomplete()
  if (kind !== 'signed-chunks-trailer') return { ok: true, chunks, trailers, trailerSignature: '' }

  // The signature covers the trailers before it.
  const [name, trailerSignature = ''] = trailers.pop() ?? []
  return name === 'x-amz-trailer-signature'
    ? { ok: true, chunks, trailers, trailerSignature }
    : rejectTrailer()
}

function createReader(body: Uint8Array) {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let position = 0
  return {
    /** Returns the line up to the next CRLF as a byte string; `undefined` if there is no CRLF. */
    line(): string | undefined {
      const end = bytes.indexOf('\r\n', position, 'latin1')
      if (end === -1) return undefined
      const line = bytes.toString('latin1', position, end)
      position = end + 2
      return line
    },
    take(size: number): Uint8Array | undefined {
      if (size > bytes.byteLength - position) return undefined
      position += size
      return bytes.subarray(position - size, position)
    },
    isAtEnd: (): boolean => position === bytes.byteLength,
  }
}

function rejectIncomplete(): Rejected {
  return reject('IncompleteBody', 'The request body terminated unexpectedly')
}

function rejectShortChunk(index: number, size: number): Rejected {
  return reject(
    'InvalidChunkSizeError',
    'Only the last chunk is allowed to have a size less than 8192 bytes',
    [
      // S3 counts from the chunk after the bad one: it learns there that the bad one was not the last.
      ['Chunk', String(index + 2)],
      ['BadChunkSize', String(size)],
    ],
  )
}

const emptyHash = sha256Hex('')

/**
 * Follows the chain of signatures from the request's own, the seed, through every chunk to the
 * trailer, each of which signs the one before it. Rejects the first that is wrong.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export function validateChunkSignatures(
  claim: SignatureClaim,
  signingKey: Uint8Array,
  chunked: AwsChunkedBody,
  kind: 'signed-chunks' | 'signed-chunks-trailer',
): Rejected | undefined {
  const validate = (
    algorithm: string,
    hashes: readonly string[],
    signature: string,
  ): Rejected | undefined => {
    const toSign = [algorithm, claim.amzDate, formatScope(claim.scope), previous, ...hashes].join(
      '\n',
    )
    if (equalInConstantTime(computeSignature(signingKey, toSign), signature)) return undefined
    return { ...rejectSignature(), stringToSign: toSign, signatureProvided: signature }
  }
  let previous = claim.signature
  for (const { data, signature } of chunked.chunks) {
    const hashes = [emptyHash, sha256Hex(data)]
    const rejected = validate('AWS4-HMAC-SHA256-PAYLOAD', hashes, signature)
    if (rejected !== undefined) return rejected
    previous = signature
  }
  if (kind === 'signed-chunks') return undefined
  const canonicalTrailers = chunked.trailers
    .map(([name, value]) => `${name}:${value}\n`)
    .toSorted()
    .join('')
  const hashes = [sha256Hex(canonicalTrailers)]
  return validate('AWS4-HMAC-SHA256-TRAILER', hashes, chunked.trailerSignature)
}

/** Rejects trailers other than those that `x-amz-trailer` announces; S3 knows checksums alone. */
export function validateTrailers(
  request: RawRequest,
  trailers: readonly (readonly [name: string, value: string])[],
): Rejected | undefined {
  const announced = (headerValue(request, 'x-amz-trailer') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (!announced.every(isChecksumHeader)) {
    return reject(
      'InvalidRequest',
      'The value specified in the x-amz-trailer header is not supported',
    )
  }
  const arrived = trailers.map(([name]) => name)
  return announced.toSorted().join() === arrived.toSorted().join() ? undefined : rejectTrailer()
}

function rejectTrailer(): Rejected {
  return reject(
    'MalformedTrailerError',
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  )
}
