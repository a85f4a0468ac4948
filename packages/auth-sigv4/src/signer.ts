import { AuthError } from '@svc/auth-hooks'
import { type MaybePromise, whenReady } from '@svc/auth-hooks/scheme'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'
import type { ApiKey } from './api-key.ts'
import { authorizationHeader } from './authorization-header.ts'
import { canonicalHeaders, signedHeaderFilter } from './canonical-headers.ts'
import { canonicalPath, type PathEncoding } from './canonical-path.ts'
import { canonicalQuery, type RepeatedParameters } from './canonical-query.ts'
import { canonicalRequest } from './canonical-request.ts'
import { payloadHash, type PayloadPolicy } from './payload.ts'
import type { SigningEngine } from './engines/engine.ts'
import type { CanonicalSigner, Signature } from './signature.ts'
import type { SigningDate } from './signing-date.ts'
import type { StreamingPayload, WrappedPayload } from './streaming-payload.ts'

/** What {@link createSigner} needs to know of an environment. */
export interface SignerSettings {
  readonly region: string
  readonly service: string
  readonly payload: PayloadPolicy | StreamingPayload
  readonly signHeaders: readonly string[]
  readonly pathEncoding: PathEncoding
  readonly repeatedParameters: RepeatedParameters
  readonly engine: SigningEngine
}

/** A signed request with everything that led to its signature. */
export interface SignedRequest extends Omit<Signature, 'signNext'> {
  readonly canonicalRequest: string
  readonly signedHeaders: string
  readonly payloadHash: string
  /** The URL in the form that was signed. */
  readonly url: string
  /** The headers to add; `null` removes one. */
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /** What is sent in place of the request's own body. */
  readonly body?: OutgoingBody
}

/** Signs a request with a key at a date. */
export type Signer = (
  request: OutgoingRequest,
  apiKey: ApiKey,
  date: SigningDate,
) => MaybePromise<SignedRequest>

/** Puts the parts of Signature Version 4 together; synchronous where its engine and the body are. */
export function createSigner(settings: SignerSettings, signCanonical: CanonicalSigner): Signer {
  const { engine, service } = settings
  const isSigned = signedHeaderFilter(settings.signHeaders)

  return (request, apiKey, date) => {
    const { method, url } = request
    const path = canonicalPath(url.pathname, settings.pathEncoding)
    const query = canonicalQuery(url.search, settings.repeatedParameters)
    refuseSigned(request, query.wire)
    const { payload } = settings
    const isStreaming = typeof payload === 'object'
    const wrapped = isStreaming ? payload.wrap(request) : undefined
    const payloadPolicy = isStreaming ? 'signed' : payload
    return whenReady(wrapped?.hash ?? payloadHash(request, payloadPolicy, engine), (hash) => {
      const added: [name: string, value: string | null][] = [['x-amz-date', date.amzDate]]
      for (const [name, value] of wrapped?.headers ?? []) added.push([name, value])
      // Only S3 asks for it; other services take the hash from the canonical request.
      const isSent = service === 's3' || !/^[\da-f]{64}$/.test(hash)
      if (isSent) added.push(['x-amz-content-sha256', hash])
      // A token left over from an earlier signature would be signed as if it were ours.
      const hasOldToken = request.headers.has('x-amz-security-token')
      if (apiKey.sessionToken !== undefined || hasOldToken) {
        added.push(['x-amz-security-token', apiKey.sessionToken ?? null])
      }
      const headers = canonicalHeaders(headersToSign(request, added, isSigned, wrapped))
      const { signedHeaders } = headers
      const canonical = canonicalRequest(method, path, query, headers, hash)

      return whenReady(
        signCanonical(canonical, date, apiKey),
        ({ stringToSign, signature, signNext }) => ({
          stringToSign,
          signature,
          canonicalRequest: canonical,
          signedHeaders,
          payloadHash: hash,
          url: `${url.protocol}//${url.host}${path.wire}${query.wire && `?${query.wire}`}`,
          headers: [
            ...added,
            [
              'authorization',
              authorizationHeader(apiKey.accessKeyId, date.scopeText, signedHeaders, signature),
            ],
          ] satisfies SignedRequest['headers'],
          ...(wrapped && {
            body: wrapped.body({
              amzDate: date.amzDate,
              scope: date.scopeText,
              seed: signature,
              hash: (data) => engine.hash(data),
              sign: signNext,
            }),
          }),
        }),
      )
    })
  }
}

function headersToSign(
  { headers, url }: OutgoingRequest,
  added: readonly (readonly [name: string, value: string | null])[],
  isSigned: (name: string) => boolean,
  wrapped: WrappedPayload | undefined,
): [name: string, value: string][] {
  const signed: [name: string, value: string][] = [['host', url.host]]
  for (const [name, value] of headers) {
    if (isSigned(name) && !added.some(([own]) => own === name)) signed.push([name, value])
  }
  for (const [name, value] of added) {
    const isLeftOut = name === wrapped?.unsignedHeader && !isSigned(name)
    if (value !== null && !isLeftOut) signed.push([name, value])
  }
  return signed
}

function refuseSigned(request: OutgoingRequest, query: string): void {
  if (request.headers.has('authorization')) {
    throw refusal('ERR_AUTH_HEADER', request, 'already has an authorization header')
  }
  if (query !== '' && /(?:^|&)X-Amz-Signature=/i.test(query)) {
    throw refusal('ERR_AUTH_URL', request, 'is already presigned; send it with plain fetch')
  }
}

function refusal(
  code: 'ERR_AUTH_HEADER' | 'ERR_AUTH_URL',
  { method, url }: OutgoingRequest,
  why: string,
): AuthError {
  return new AuthError(code, `[@svc/auth-sigv4] ${method} ${url.origin}${url.pathname} ${why}`)
}
