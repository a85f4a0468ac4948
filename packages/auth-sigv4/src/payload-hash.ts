import type { OutgoingRequest } from '@svc/types'
import { AuthError } from '@svc/auth-hooks'
import { type MaybePromise, whenReady } from '@svc/auth-hooks/scheme'
import type { SigningEngine } from './signing-engine.ts'

/** How the body is signed. */
export type PayloadPolicy = 'auto' | 'signed' | 'unsigned'

/** What stands for the hash of a body that is not signed. */
export const unsignedPayload = 'UNSIGNED-PAYLOAD'

/** SHA-256 of nothing. */
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * The payload hash of a request: what the caller set, the hash of the bytes that are sent, or
 * `UNSIGNED-PAYLOAD`.
 *
 * @throws AuthError `ERR_AUTH_BODY` for a stream that must be signed, or would go over plain http
 * unsigned without having been asked for.
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
  if (body.replayable) return whenReady(body.bytes(), (bytes) => engine.hash(bytes))
  if (policy === 'auto' && url.protocol === 'https:') return unsignedPayload
  throw new AuthError(
    'ERR_AUTH_BODY',
    `[@svc/auth-sigv4] ${request.method} ${url.origin}${url.pathname}: the body is a stream and cannot ` +
      "be hashed before it is sent; give bytes, or payload: 'unsigned'",
  )
}
