import { assertNotAborted, chain, isLoopback, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'
import { emptyHash, unsignedPayload } from './canonical-request.ts'
import type { SigningEngine } from './engines/engine.ts'
import { requestError } from './request-error.ts'

/**
 * The way in which a body is signed.
 *
 * | value | meaning |
 * |---|---|
 * | `auto` | bytes are hashed; a stream is sent as `UNSIGNED-PAYLOAD` over https and to loopback, else rejected |
 * | `signed` | bytes are hashed; a stream is rejected |
 * | `unsigned` | `UNSIGNED-PAYLOAD` |
 *
 * A hash that the caller sets as `x-amz-content-sha256` overrides each of them.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export type PayloadPolicy = 'auto' | 'signed' | 'unsigned'

/**
 * The longest body that is not in memory, such as a `Blob`, that is read whole to be hashed where the
 * engine has no `hashStream`: 64 MiB. A larger one is not signed.
 */
const maxWholeBytes = 64 * 1024 * 1024

/**
 * Returns the payload hash of a request: the one that the caller set, the hash of the bytes that are
 * sent, or `UNSIGNED-PAYLOAD`.
 *
 * @throws AuthError `ERR_AUTH_BODY` for a stream that must be signed, or would go unsigned over plain
 * http beyond loopback without having been asked for; and for a Blob that is too large for the engine.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function payloadHash(
  request: OutgoingRequest,
  policy: PayloadPolicy,
  engine: SigningEngine,
): MaybePromise<string> {
  const { body, headers, url } = request
  const given = headers.get('x-amz-content-sha256')
  if (given !== null) return given
  if (policy === 'unsigned') return unsignedPayload
  if (!body) return emptyHash
  if (body.text !== undefined && engine.hashText) return engine.hashText(body.text)
  if (body.replayable) {
    if (!body.inMemory && engine.hashStream) {
      return engine.hashStream(untilAborted(body.chunks(), request.signal))
    }
    if (body.inMemory || !(Number(body.size) > maxWholeBytes)) {
      return chain(body.bytes(), (bytes) => engine.hash(bytes))
    }
  }
  // Loopback, where an emulator or a local object store listens: nothing on the way can change it.
  if (policy === 'auto' && (url.protocol === 'https:' || isLoopback(url))) return unsignedPayload
  const problem = body.replayable
    ? `is larger than the ${maxWholeBytes} bytes that the ${engine.name} engine can hash`
    : 'is a stream and cannot be hashed before it is sent (in a Request, and so with ky, a body larger than maxReplayBytes counts as one)'
  throw requestError(
    'ERR_AUTH_BODY',
    request,
    `: the body ${problem}; pass bytes, streaming(), or payload: 'unsigned'`,
  )
}

// Stops once the request is aborted: a large body would be read to its end otherwise.
async function* untilAborted(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    assertNotAborted(signal)
    yield piece
  }
}

/**
 * A payload that is signed piece by piece while it is sent, as created by `streaming()` from
 * `@svc/auth-sigv4/streaming`. The signer knows no more of it.
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

/** A body as it is announced, and the one that is sent instead. */
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

/** The start of the signatures that follow that of the request's head. */
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
