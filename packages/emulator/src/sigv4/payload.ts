import { readAwsChunked } from './chunks.ts'
import { checkChunkSignatures } from './chunk-signatures.ts'
import { checkContentLength, decodedLength } from './content-length.ts'
import { checkDigests } from './content-digests.ts'
import { checkPayloadHash } from './payload-hash.ts'
import type { RawRequest } from '../http/request.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { checkTrailers } from './trailers.ts'
import type { PayloadKind, Refused } from './result.ts'

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
