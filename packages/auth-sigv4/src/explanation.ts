import type { OutgoingRequest } from '@svc/types'
import type { SignedRequest } from './signer.ts'

/**
 * Every step of a signature. It contains a valid signature: do not log it.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export interface Explanation {
  /** The request in the one form that both sides compute. */
  canonicalRequest: string
  /** Algorithm, date, scope and the hash of the canonical request. */
  stringToSign: string
  /** The names of the signed headers, in lower case, sorted and joined by `;`. */
  signedHeaders: string
  /**
   * The value that represents the body: a SHA-256 in hex, `UNSIGNED-PAYLOAD`, one of `STREAMING-…`, or the
   * caller's own `x-amz-content-sha256`.
   */
  payloadHash: string
  /** The signature: HMAC-SHA-256 of the string to sign, in hex. */
  signature: string
  /** The URL in the form that is sent. */
  url: URL
  /** The headers that are sent, including the caller's. */
  headers: Headers
}

/** Puts a request and its signature together as they are sent. */
export function toExplanation(
  request: OutgoingRequest,
  { headers: added, url, body: _body, ...steps }: SignedRequest,
): Explanation {
  const headers = new Headers([...request.headers])
  for (const [name, value] of added) {
    if (value === null) headers.delete(name)
    else headers.set(name, value)
  }
  return { ...steps, url: new URL(url), headers }
}
