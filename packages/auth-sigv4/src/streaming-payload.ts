import type { MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'

/**
 * A payload that is signed piece by piece while it is sent, as created by `streaming()` from
 * `@svc/auth-sigv4/streaming`. This is all the signer knows of it.
 */
export interface StreamingPayload {
  /**
   * Decides how the body of a request is sent, without reading it.
   *
   * @returns `undefined` for a request without a body, or if the caller has set its payload hash.
   * @throws AuthError `ERR_AUTH_BODY` if the body cannot be sent this way.
   */
  wrap(request: OutgoingRequest): WrappedPayload | undefined
}

/** How a body is announced, and what is sent instead of it. */
export interface WrappedPayload {
  /** The value used as the payload hash. */
  readonly hash: string
  /** Headers to send and to sign. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The one of these headers that is signed only if `signHeaders` lists it. */
  readonly unsignedHeader: string | undefined
  /** The body to send, once the signature of the request is known. */
  body(chain: SignatureChain): OutgoingBody
}

/** What every signature after that of the request's head is computed from. */
export interface SignatureChain {
  /** The instant of the request's signature, as in `x-amz-date`. */
  readonly amzDate: string
  /** The credential scope, such as `20130524/us-east-1/s3/aws4_request`. */
  readonly scope: string
  /** The signature of the request's head, which starts the chain. */
  readonly seed: string
  /** SHA-256 in lower-case hex. A string stands for its Latin-1 bytes. */
  hash(data: string | Uint8Array): MaybePromise<string>
  /** HMAC-SHA-256 with the key of the request's signature, in lower-case hex. */
  sign(stringToSign: string): MaybePromise<string>
}
