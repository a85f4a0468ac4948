import { headerValue, type RawRequest } from '../http/request.ts'
import { checkDigests } from './checksums.ts'
import { checkChunkSignatures, checkTrailers, readAwsChunked } from './chunks.ts'
import type { SignatureClaim } from './claim.ts'
import { type PayloadKind, refuse, type Refused } from './result.ts'
import { equalInConstantTime, sha256Hex } from './signature.ts'

/** A body that is what was signed, without its framing. */
export interface Payload {
  readonly ok: true
  readonly body: Uint8Array
}

/** The body of a request whose own signature is good, or why it is not what was signed. */
export function readPayload(
  request: RawRequest,
  claim: SignatureClaim,
  kind: PayloadKind,
  signingKey: Uint8Array,
): Payload | Refused {
  if (kind !== 'signed' && kind !== 'unsigned') {
    return readChunks(request, claim, kind, signingKey)
  }
  const refused =
    (kind === 'signed' ? checkPayloadHash(claim, request.body) : undefined) ??
    checkDigests(request, [], request.body)
  return refused ?? { ok: true, body: request.body }
}

function readChunks(
  request: RawRequest,
  claim: SignatureClaim,
  kind: Exclude<PayloadKind, 'signed' | 'unsigned'>,
  signingKey: Uint8Array,
): Payload | Refused {
  const length = decodedLength(request)
  if (!length.ok) return length
  const refusedLength = checkContentLength(request)
  if (refusedLength !== undefined) return refusedLength
  const chunked = readAwsChunked(request.body, kind)
  if (!chunked.ok) return chunked

  const refusedSignature =
    kind === 'unsigned-chunks-trailer'
      ? undefined
      : checkChunkSignatures(claim, signingKey, chunked, kind)
  if (refusedSignature !== undefined) return refusedSignature

  const body = Buffer.concat(chunked.chunks.map(({ data }) => data))
  const refused =
    length.check(body.byteLength) ??
    (kind === 'signed-chunks' ? undefined : checkTrailers(request, chunked.trailers)) ??
    checkDigests(request, chunked.trailers, body)
  return refused ?? { ok: true, body: new Uint8Array(body) }
}

const kinds: ReadonlyMap<string, PayloadKind> = new Map([
  ['UNSIGNED-PAYLOAD', 'unsigned'],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD', 'signed-chunks'],
  ['STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER', 'signed-chunks-trailer'],
  ['STREAMING-UNSIGNED-PAYLOAD-TRAILER', 'unsigned-chunks-trailer'],
])

/** How the payload hash of a claim is to be taken, before the body is looked at. */
export function payloadKind(claim: SignatureClaim): { ok: true; kind: PayloadKind } | Refused {
  const { payloadHash } = claim
  if (payloadHash === '') {
    return refuse(
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    )
  }
  if (payloadHash.startsWith('STREAMING-') && claim.form === 'query') {
    return refuse('NotImplemented', 'A presigned URL cannot sign the chunks of its body.')
  }
  const kind = kinds.get(payloadHash)
  if (kind !== undefined) return { ok: true, kind }
  if (/^[0-9a-f]{64}$/.test(payloadHash)) return { ok: true, kind: 'signed' }
  if (payloadHash.startsWith('STREAMING-')) {
    return refuse('NotImplemented', `The emulator does not support the payload "${payloadHash}".`)
  }
  return refuse(
    'InvalidArgument',
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a valid sha256 value in lower case.',
  )
}

/** Refuses a body that is not the one whose hash was signed. */
export function checkPayloadHash(claim: SignatureClaim, body: Uint8Array): Refused | undefined {
  const computed = sha256Hex(body)
  if (equalInConstantTime(computed, claim.payloadHash)) return undefined
  return refuse(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    [
      ['ClientComputedContentSHA256', claim.payloadHash],
      ['S3ComputedContentSHA256', computed],
    ],
  )
}

/** What `x-amz-decoded-content-length` announces, with the check of what came. */
export function decodedLength(
  request: RawRequest,
): { readonly ok: true; check(bytes: number): Refused | undefined } | Refused {
  const announced = readLength(headerValue(request, 'x-amz-decoded-content-length'))
  // S3 answers so to one that is missing and to one that is no number.
  if (announced === undefined) return missing()
  return {
    ok: true,
    check: (bytes) => (bytes === announced ? undefined : wrongLength(announced, bytes)),
  }
}

/**
 * Refuses a chunked body whose end nothing on the wire tells. `Transfer-Encoding` will do: the AWS
 * SDK for JavaScript sends its streams so.
 */
export function checkContentLength(request: RawRequest): Refused | undefined {
  const header = headerValue(request, 'content-length')
  if (header === undefined) {
    return /\bchunked\b/i.test(headerValue(request, 'transfer-encoding') ?? '')
      ? undefined
      : missing()
  }
  const announced = readLength(header)
  if (announced === undefined) return missing()
  const { byteLength } = request.body
  return byteLength === announced ? undefined : wrongLength(announced, byteLength)
}

function readLength(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function missing(): Refused {
  return refuse('MissingContentLength', 'You must provide the Content-Length HTTP header.')
}

function wrongLength(expected: number, provided: number): Refused {
  return refuse(
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header',
    [
      ['NumberBytesExpected', String(expected)],
      ['NumberBytesProvided', String(provided)],
    ],
  )
}
