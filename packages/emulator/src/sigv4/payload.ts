import { headerValue, type RawRequest } from '../http/request.ts'
import { validateDigests } from './checksums.ts'
import { readAwsChunked, validateChunkSignatures, validateTrailers } from './chunks.ts'
import type { SignatureClaim } from './claim.ts'
import { type PayloadKind, reject, type Rejected } from './result.ts'
import { equalInConstantTime, sha256Hex } from './signature.ts'

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

interface Payload {
  readonly ok: true
  /** The signed data, without its framing. */
  readonly body: Uint8Array
}

/** Reads the body of a request whose own signature is good, or rejects one that was not signed. */
export function readPayload(
  request: RawRequest,
  claim: SignatureClaim,
  kind: PayloadKind,
  signingKey: Uint8Array,
  { bodiesWithoutLength }: { readonly bodiesWithoutLength: BodiesWithoutLength },
): Payload | Rejected {
  if (kind !== 'signed' && kind !== 'unsigned') {
    return readChunks(request, claim, kind, signingKey)
  }
  if (bodiesWithoutLength === 'rejected' && isLengthUnknown(request)) return rejectMissingLength()
  const rejected =
    (kind === 'signed' ? validatePayloadHash(claim, request.body) : undefined) ??
    validateDigests(request, [], request.body)
  return rejected ?? { ok: true, body: request.body }
}

function validatePayloadHash(claim: SignatureClaim, body: Uint8Array): Rejected | undefined {
  const computed = sha256Hex(body)
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

function readChunks(
  request: RawRequest,
  claim: SignatureClaim,
  kind: Exclude<PayloadKind, 'signed' | 'unsigned'>,
  signingKey: Uint8Array,
): Payload | Rejected {
  const decodedLength = parseLength(headerValue(request, 'x-amz-decoded-content-length'))
  // S3 says the same of one that is missing and of one that is no number.
  if (decodedLength === undefined) return rejectMissingLength()
  const rejectedLength = validateContentLength(request)
  if (rejectedLength !== undefined) return rejectedLength
  const chunked = readAwsChunked(request.body, kind)
  if (!chunked.ok) return chunked

  const rejectedSignature =
    kind === 'unsigned-chunks-trailer'
      ? undefined
      : validateChunkSignatures(claim, signingKey, chunked, kind)
  if (rejectedSignature !== undefined) return rejectedSignature

  const body = Buffer.concat(chunked.chunks.map(({ data }) => data))
  const rejected =
    validateLength(decodedLength, body.byteLength) ??
    (kind === 'signed-chunks' ? undefined : validateTrailers(request, chunked.trailers)) ??
    validateDigests(request, chunked.trailers, body)
  return rejected ?? { ok: true, body: new Uint8Array(body) }
}

// Nothing else on the wire tells the end of a chunked body. `Transfer-Encoding` will do: the AWS SDK
// for JavaScript sends its streams so.
function validateContentLength(request: RawRequest): Rejected | undefined {
  const header = headerValue(request, 'content-length')
  if (header === undefined) {
    return isLengthUnknown(request) ? undefined : rejectMissingLength()
  }
  const announced = parseLength(header)
  if (announced === undefined) return rejectMissingLength()
  return validateLength(announced, request.body.byteLength)
}

// Without either header, a request has no body (RFC 9112, section 6.3).
function isLengthUnknown(request: RawRequest): boolean {
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
