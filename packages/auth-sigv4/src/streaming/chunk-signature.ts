import { emptyHash } from '../payload.ts'
import type { SignatureChain } from '../streaming-payload.ts'

/**
 * The string to sign of a chunk, chained to the signature before it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export function chunkStringToSign(
  { amzDate, scope }: Pick<SignatureChain, 'amzDate' | 'scope'>,
  previousSignature: string,
  chunkHash: string,
): string {
  return `AWS4-HMAC-SHA256-PAYLOAD\n${amzDate}\n${scope}\n${previousSignature}\n${emptyHash}\n${chunkHash}`
}

/**
 * The string to sign of the trailing headers, chained to the signature of the final chunk.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
export function trailerStringToSign(
  { amzDate, scope }: Pick<SignatureChain, 'amzDate' | 'scope'>,
  previousSignature: string,
  trailerHash: string,
): string {
  return `AWS4-HMAC-SHA256-TRAILER\n${amzDate}\n${scope}\n${previousSignature}\n${trailerHash}`
}
