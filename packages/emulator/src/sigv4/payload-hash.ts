import { equalInConstantTime, sha256Hex } from './signature.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { refuse, type PayloadKind, type Refused } from './result.ts'

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
