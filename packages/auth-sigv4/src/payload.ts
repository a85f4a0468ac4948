import type { OutgoingRequest } from '@svc/types'
import { AuthError } from '@svc/auth-hooks'
import { type MaybePromise, whenReady } from '@svc/auth-hooks/scheme'
import type { SigningEngine } from './engines/engine.ts'

/**
 * How the body is signed.
 *
 * | value | meaning |
 * |---|---|
 * | `auto` | bytes are hashed; a stream is sent as `UNSIGNED-PAYLOAD` over https, and refused over http |
 * | `signed` | bytes are hashed; a stream is refused |
 * | `unsigned` | `UNSIGNED-PAYLOAD` |
 *
 * What the caller sets as `x-amz-content-sha256` overrides each of them.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export type PayloadPolicy = 'auto' | 'signed' | 'unsigned'

/** What stands for the hash of a body that is not signed. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** SHA-256 of nothing. */
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * How many bytes of a body that is not in memory, such as a `Blob`, are read whole to be hashed where
 * the engine has no `hashStream`: 64 MiB. A larger one is not signed.
 */
const maxWholeBytes = 64 * 1024 * 1024

/**
 * The payload hash of a request: what the caller set, the hash of the bytes that are sent, or
 * `UNSIGNED-PAYLOAD`.
 *
 * @throws AuthError `ERR_AUTH_BODY` for a stream that must be signed, or would go over plain http
 * unsigned without having been asked for; and for a Blob that is too large for the engine.
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
      return engine.hashStream(whileWanted(body.chunks(), request.signal))
    }
    if (body.inMemory || !(Number(body.size) > maxWholeBytes)) {
      return whenReady(body.bytes(), (bytes) => engine.hash(bytes))
    }
  }
  if (policy === 'auto' && url.protocol === 'https:') return unsignedPayload
  const why = body.replayable
    ? `is larger than the ${maxWholeBytes} bytes that the ${engine.name} engine can hash`
    : 'is a stream and cannot be hashed before it is sent (in a Request, and so with ky, a body larger than maxReplayBytes counts as one)'
  throw new AuthError(
    'ERR_AUTH_BODY',
    `[@svc/auth-sigv4] ${request.method} ${url.origin}${url.pathname}: the body ${why}; ` +
      "pass bytes, streaming(), or payload: 'unsigned'",
  )
}

// Ends with the request's signal, so that a large body is not read for nobody.
async function* whileWanted(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    signal?.throwIfAborted()
    yield piece
  }
}
