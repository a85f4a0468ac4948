import type { MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'

/**
 * A payload that is signed piece by piece while it is sent, as `streaming()` from
 * `@svc/auth-sigv4/streaming` makes it. The signer knows no more of it than this.
 */
export interface StreamingPayload {
  /**
   * Decides how the body of a request is sent, without reading it.
   *
   * @returns `undefined` for a request without body, or whose payload hash the caller has set.
   * @throws AuthError `ERR_AUTH_BODY` where the body cannot be sent so.
   */
  wrap(request: OutgoingRequest): WrappedPayload | undefined
}

/** How a body is announced, and what is sent in its place. */
export interface WrappedPayload {
  /** What stands for the payload hash. */
  readonly hash: string
  /** Headers to send and to sign. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The header of these that is signed only where `signHeaders` has it. */
  readonly unsignedHeader: string | undefined
  /** The body to send, once the signature of the request is known. */
  body(chain: SignatureChain): OutgoingBody
}

/** What every signature after that of the request's head is made with. */
export interface SignatureChain {
  /** The instant of the request's signature, as it stands in `x-amz-date`. */
  readonly amzDate: string
  /** The credential scope, as `20130524/us-east-1/s3/aws4_request`. */
  readonly scope: string
  /** The signature of the request's head, with which the chain begins. */
  readonly seed: string
  /** SHA-256 in lower-case hex. A string stands for its Latin-1 bytes. */
  hash(data: string | Uint8Array): MaybePromise<string>
  /** HMAC-SHA-256 with the key of the request's signature, in lower-case hex. */
  sign(stringToSign: string): MaybePromise<string>
}
