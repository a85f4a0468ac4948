import { createHash } from 'node:crypto'
import { headerValue, type RawRequestHead } from '../http/request.ts'
import { isChecksumHeader } from './checksums.ts'
import { rejectTrailer, type Trailers } from './chunks.ts'
import type { SignatureClaim } from './claim.ts'
import { reject, type Rejected, rejectSignature } from './result.ts'
import { computeSignature, equalInConstantTime, formatScope, sha256Hex } from './signature.ts'

/**
 * Follows the chain of signatures from the request's own, the seed, through every chunk to the
 * trailer, each of which signs the one before it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export interface SignatureChain {
  /** Takes data of the chunk that is under way. */
  update(data: Uint8Array): void
  /** Ends a chunk, with the signature that it was sent with. */
  endChunk(signature: string): void
  /** Ends the body, with the signature of its trailers. */
  endTrailers(trailers: Trailers, signature: string): void
  /** The first signature that is wrong, as soon as it is known. */
  readonly rejected: Rejected | undefined
}

const emptyHash = sha256Hex('')

/** Starts the chain at the signature of a request. */
export function createSignatureChain(
  claim: SignatureClaim,
  signingKey: Uint8Array,
): SignatureChain {
  let previous = claim.signature
  let hash = createHash('sha256')
  let rejected: Rejected | undefined
  const validate = (algorithm: string, hashes: readonly string[], signature: string): void => {
    const toSign = [algorithm, claim.amzDate, formatScope(claim.scope), previous, ...hashes].join(
      '\n',
    )
    const isEqual = equalInConstantTime(computeSignature(signingKey, toSign), signature)
    previous = signature
    if (isEqual || rejected !== undefined) return
    rejected = { ...rejectSignature(), stringToSign: toSign, signatureProvided: signature }
  }
  return {
    update(data) {
      hash.update(data)
    },
    endChunk(signature) {
      validate('AWS4-HMAC-SHA256-PAYLOAD', [emptyHash, hash.digest('hex')], signature)
      hash = createHash('sha256')
    },
    endTrailers(trailers, signature) {
      const lines = trailers.map(([name, value]) => `${name}:${value}\n`).toSorted()
      validate('AWS4-HMAC-SHA256-TRAILER', [sha256Hex(lines.join(''))], signature)
    },
    get rejected() {
      return rejected
    },
  }
}

/** Returns the names of the trailers that `x-amz-trailer` announces, in lower case. */
export function announcedTrailers(request: RawRequestHead): readonly string[] {
  return (headerValue(request, 'x-amz-trailer') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Rejects trailers other than those that were announced; S3 knows checksums alone. */
export function validateTrailers(
  announced: readonly string[],
  trailers: Trailers,
): Rejected | undefined {
  if (!announced.every(isChecksumHeader)) {
    return reject(
      'InvalidRequest',
      'The value specified in the x-amz-trailer header is not supported',
    )
  }
  const arrived = trailers.map(([name]) => name)
  return announced.toSorted().join() === arrived.toSorted().join() ? undefined : rejectTrailer()
}
