import type { AwsChunkedBody } from './chunks.ts'
import { formatScope } from './credential-scope.ts'
import { equalInConstantTime, hmacSha256, sha256Hex } from './signature.ts'
import type { SignatureClaim } from './signature-claim.ts'
import { refuse, type Refused } from './result.ts'

const emptyHash = sha256Hex('')

/**
 * Follows the chain of signatures from the request's own, the seed, through every chunk to the
 * trailer, each of which signs the one before it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export function checkChunkSignatures(
  claim: SignatureClaim,
  signingKey: Uint8Array,
  chunked: AwsChunkedBody,
  kind: 'signed-chunks' | 'signed-chunks-trailer',
): Refused | undefined {
  const check = (algorithm: string, hashes: readonly string[], signature: string) => {
    const toSign = [algorithm, claim.amzDate, formatScope(claim.scope), previous, ...hashes]
    const expected = sign(signingKey, toSign.join('\n'))
    return equalInConstantTime(expected, signature)
      ? undefined
      : mismatch(toSign.join('\n'), signature)
  }
  let previous = claim.signature
  for (const { data, signature } of chunked.chunks) {
    const hashes = [emptyHash, sha256Hex(data)]
    const refused = check('AWS4-HMAC-SHA256-PAYLOAD', hashes, signature)
    if (refused !== undefined) return refused
    previous = signature
  }
  if (kind === 'signed-chunks') return undefined
  const canonicalTrailers = chunked.trailers
    .map(([name, value]) => `${name}:${value}\n`)
    .toSorted()
    .join('')
  const hashes = [sha256Hex(canonicalTrailers)]
  return check('AWS4-HMAC-SHA256-TRAILER', hashes, chunked.trailerSignature)
}

function sign(signingKey: Uint8Array, toSign: string): string {
  return Buffer.from(hmacSha256(signingKey, toSign)).toString('hex')
}

function mismatch(toSign: string, signature: string): Refused {
  const refused = refuse(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  )
  return { ...refused, stringToSign: toSign, signatureProvided: signature }
}
