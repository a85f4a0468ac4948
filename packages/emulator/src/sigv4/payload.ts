import { createHash } from 'node:crypto'
import { headerValue, type RawRequestHead } from '../http/request.ts'
import { createBodyDigests } from './checksums.ts'
import { announcedTrailers, createSignatureChain, validateTrailers } from './chunk-signatures.ts'
import { type ChunkedKind, createChunkReader, rejectTrailer, type Trailers } from './chunks.ts'
import type { SignatureClaim } from './claim.ts'
import { type PayloadKind, reject, type Rejected } from './result.ts'
import { equalInConstantTime } from './signature.ts'

const kinds: ReadonlyMap<string, PayloadKind> = new Map([
  ['UNSIGNED-PAYLOAD', 'unsigned'],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'signed-chunks'],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', 'signed-chunks-trailer'],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'unsigned-chunks-trailer'],
])

/** Reads the kind of payload from the payload hash of a claim, before the body is looked at. */
export function payloadKind(claim: SignatureClaim): { ok: true; kind: PayloadKind } | Rejected {
  const { payloadHash } = claim
  if (payloadHash === '') {
    return reject(
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    )
  }
  if (payloadHash.startsWith('STREAMING-') && claim.form === 'query') {
    return reject('NotImplemented', 'A presigned URL cannot sign the chunks of its body.')
  }
  const kind = kinds.get(payloadHash)
  if (kind !== undefined) return { ok: true, kind }
  if (/^[0-9a-f]{64}$/.test(payloadHash)) return { ok: true, kind: 'signed' }
  if (payloadHash.startsWith('STREAMING-')) {
    return reject('NotImplemented', `The emulator does not support the payload "${payloadHash}".`)
  }
  return reject(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a valid sha256 value in lower case.',
  )
}

/** The fate of a body that has neither a `content-length` nor `aws-chunked`. */
export type BodiesWithoutLength = 'rejected' | 'accepted'

/** Verifies a body as it arrives, and takes the framing of `aws-chunked` off. */
export interface BodyVerifier {
  /** Takes the next bytes of the body; returns the data in them, which is not to be believed before the end. */
  write(bytes: Uint8Array): readonly Uint8Array[]
  /** The reason why the body will be rejected, as soon as it is known; there may be others at the end. */
  readonly rejected: Rejected | undefined
  /** Ends the body. Returns the reason if it is not the one that was signed. */
  end(): Rejected | undefined
  /** The checksums that the trailer brought, by names in lower case, once `end` has agreed. */
  readonly trailers: readonly (readonly [name: string, value: string])[]
}

/** Opens the body of a request whose own signature is good. */
export function openBody(
  request: RawRequestHead,
  claim: SignatureClaim,
  kind: PayloadKind,
  signingKey: Uint8Array,
  { bodiesWithoutLength }: { readonly bodiesWithoutLength: BodiesWithoutLength },
): { readonly ok: true; readonly body: BodyVerifier } | Rejected {
  if (kind !== 'signed' && kind !== 'unsigned') {
    return openChunks(request, claim, kind, signingKey)
  }
  if (bodiesWithoutLength === 'rejected' && isLengthUnknown(request)) return rejectMissingLength()
  const hash = kind === 'signed' ? createHash('sha256') : undefined
  const digests = createBodyDigests(request, [])
  const body: BodyVerifier = {
    write(bytes) {
      hash?.update(bytes)
      digests.update(bytes)
      return [bytes]
    },
    rejected: undefined,
    end: () => (hash && validatePayloadHash(claim, hash.digest('hex'))) ?? digests.end([]),
    trailers: [],
  }
  return { ok: true, body }
}

function validatePayloadHash(claim: SignatureClaim, computed: string): Rejected | undefined {
  if (equalInConstantTime(computed, claim.payloadHash)) return undefined
  return reject(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    [
      ['ClientComputedContentSHA256', claim.payloadHash],
      ['S3ComputedContentSHA256', computed],
    ],
  )
}

function openChunks(
  request: RawRequestHead,
  claim: SignatureClaim,
  kind: ChunkedKind,
  signingKey: Uint8Array,
): { readonly ok: true; readonly body: BodyVerifier } | Rejected {
  const decodedLength = parseLength(headerValue(request, 'x-amz-decoded-content-length'))
  // S3 says the same of one that is missing and of one that is no number.
  if (decodedLength === undefined) return rejectMissingLength()
  // Nothing else on the wire tells the end of a chunked body. `Transfer-Encoding` will do: the AWS SDK
  // for JavaScript sends its streams so.
  const length = parseLength(headerValue(request, 'content-length'))
  if (length === undefined && !isLengthUnknown(request)) return rejectMissingLength()

  const announced = announcedTrailers(request)
  const digests = createBodyDigests(request, announced)
  const signatures =
    kind === 'unsigned-chunks-trailer' ? undefined : createSignatureChain(claim, signingKey)
  let pieces: Uint8Array[] = []
  let receivedBytes = 0
  let dataBytes = 0
  let verified: Trailers = []
  const reader = createChunkReader(kind, {
    data(piece) {
      signatures?.update(piece)
      digests.update(piece)
      dataBytes += piece.byteLength
      pieces.push(piece)
    },
    chunkEnd: (signature) => signatures?.endChunk(signature),
  })
  const endTrailers = (trailers: Trailers): Rejected | undefined => {
    const unsigned = kind === 'signed-chunks-trailer' ? trailers.slice(0, -1) : trailers
    if (kind === 'signed-chunks-trailer') {
      // The signature covers the trailers before it.
      const [name, signature = ''] = trailers.at(-1) ?? []
      if (name !== 'x-amz-trailer-signature') return rejectTrailer()
      signatures?.endTrailers(unsigned, signature)
    }
    const rejected =
      signatures?.rejected ??
      validateLength(decodedLength, dataBytes) ??
      (kind === 'signed-chunks' ? undefined : validateTrailers(announced, unsigned)) ??
      digests.end(unsigned)
    if (rejected === undefined) verified = unsigned
    return rejected
  }
  const body: BodyVerifier = {
    write(bytes) {
      receivedBytes += bytes.byteLength
      pieces = []
      reader.write(bytes)
      return pieces
    },
    get rejected() {
      const isTooLong = dataBytes > decodedLength
      const rejectedLength = isTooLong ? validateLength(decodedLength, dataBytes) : undefined
      return reader.rejected ?? signatures?.rejected ?? rejectedLength
    },
    end() {
      const rejectedLength =
        length === undefined ? undefined : validateLength(length, receivedBytes)
      if (rejectedLength !== undefined) return rejectedLength
      const read = reader.end()
      return read.ok ? endTrailers(read.trailers) : read
    },
    get trailers() {
      return verified
    },
  }
  return { ok: true, body }
}

// Without either header, a request has no body (RFC 9112, section 6.3).
function isLengthUnknown(request: RawRequestHead): boolean {
  return (
    headerValue(request, 'content-length') === undefined &&
    /\bchunked\b/i.test(headerValue(request, 'transfer-encoding') ?? '')
  )
}

function parseLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function rejectMissingLength(): Rejected {
  return reject('MissingContentLength', 'You must provide the Content-Length HTTP header.')
}

function validateLength(expected: number, provided: number): Rejected | undefined {
  if (provided === expected) return undefined
  return reject(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
    [
      ['NumberBytesExpected', String(expected)],
      ['NumberBytesProvided', String(provided)],
    ],
  )
}
