import { chain, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'
import { canonicalQuery, type RepeatedParameters } from './canonical-query.ts'
import {
  canonicalHeaders,
  canonicalPath,
  canonicalRequest,
  isS3Service,
  type PathEncoding,
  signedHeaderFilter,
} from './canonical-request.ts'
import type { SigningDate } from './clock.ts'
import type { ApiKey } from './credentials.ts'
import type { SigningEngine, SigningKey } from './engines/engine.ts'
import {
  payloadHash,
  type PayloadPolicy,
  type StreamingPayload,
  type WrappedPayload,
} from './payload.ts'
import { requestError } from './request-error.ts'

/** The facts of an environment that {@link createSigner} needs. */
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
export interface SignedRequest extends Omit<Signature, 'sign'> {
  readonly canonicalRequest: string
  readonly signedHeaders: string
  readonly payloadHash: string
  /** The URL in the form that was signed. */
  readonly url: string
  /** The headers to add; `null` removes one. */
  readonly headers: readonly (readonly [name: string, value: string | null])[]
  /** The body that is sent in place of the request's own. */
  readonly body?: OutgoingBody
}

/** Signs requests in the steps of AWS's document; synchronous where its engine and the body are. */
export function createSigner(
  settings: SignerSettings,
  signCanonical: CanonicalSigner,
): (request: OutgoingRequest, apiKey: ApiKey, date: SigningDate) => MaybePromise<SignedRequest> {
  const { engine, payload } = settings
  const isStreaming = typeof payload === 'object'
  const isSigned = signedHeaderFilter(settings.signHeaders)
  const isS3 = isS3Service(settings.service)

  return (request, apiKey, date) => {
    const { method, url } = request
    const { host } = url
    const path = canonicalPath(url, settings.pathEncoding)
    const query = canonicalQuery(url.search, settings.repeatedParameters)
    assertUnsigned(request, query.sent)
    const wrapped = isStreaming ? payload.wrap(request) : undefined
    const payloadPolicy = isStreaming ? 'signed' : payload
    return chain(wrapped?.hash ?? payloadHash(request, payloadPolicy, engine), (hash) => {
      const added: [name: string, value: string | null][] = [['x-amz-date', date.amzDate]]
      for (const [name, value] of wrapped?.headers ?? []) added.push([name, value])
      // S3 must be told it; other services hash the body, and are told only what is no hash of it.
      const tellsHash = isS3 || !/^[\da-f]{64}$/.test(hash)
      if (tellsHash) added.push(['x-amz-content-sha256', hash])
      // A token left over from an earlier signature would be signed as if it were ours.
      const hasOldToken = request.headers.has('x-amz-security-token')
      if (apiKey.sessionToken !== undefined || hasOldToken) {
        added.push(['x-amz-security-token', apiKey.sessionToken ?? null])
      }
      const headers = canonicalHeaders(headersToSign(request, host, added, isSigned, wrapped))
      const { signedHeaders } = headers
      const canonical = canonicalRequest(method, path, query, headers, hash)

      return chain(signCanonical(canonical, date, apiKey), ({ stringToSign, signature, sign }) => {
        added.push([
          'authorization',
          `${algorithm} Credential=${apiKey.accessKeyId}/${date.scopeText}, SignedHeaders=${signedHeaders}, Signature=${signature}`,
        ])
        const signed = {
          stringToSign,
          signature,
          canonicalRequest: canonical,
          signedHeaders,
          payloadHash: hash,
          url: `${url.protocol}//${host}${path.sent}${query.sent && `?${query.sent}`}`,
          headers: added,
        }
        if (!wrapped) return signed
        const body = wrapped.body({
          amzDate: date.amzDate,
          scope: date.scopeText,
          seed: signature,
          hash: (data) => engine.hash(data),
          sign,
        })
        return { ...signed, body }
      })
    })
  }
}

function assertUnsigned(request: OutgoingRequest, query: string): void {
  if (request.headers.has('authorization')) {
    throw requestError(
      'ERR_AUTH_HEADER',
      request,
      ' already has an authorization header, in whose place the signature stands: remove it',
    )
  }
  if (/(?:^|&)X-Amz-Signature=/i.test(query)) {
    throw requestError('ERR_AUTH_URL', request, ' is already presigned; send it as it is')
  }
}

function headersToSign(
  { headers }: OutgoingRequest,
  host: string,
  added: readonly (readonly [name: string, value: string | null])[],
  isSigned: (name: string) => boolean,
  wrapped: WrappedPayload | undefined,
): [name: string, value: string][] {
  const signed: [name: string, value: string][] = [['host', host]]
  for (const [name, value] of headers) {
    if (isSigned(name) && !added.some(([own]) => own === name)) signed.push([name, value])
  }
  for (const [name, value] of added) {
    const isLeftOut = name === wrapped?.unsignedHeader && !isSigned(name)
    if (value !== null && !isLeftOut) signed.push([name, value])
  }
  return signed
}

/** A signature and what was signed. */
export interface Signature {
  readonly stringToSign: string
  readonly signature: string
  /** Signs more with the same key: the chunks that follow the head, or a policy. */
  readonly sign: (text: string) => MaybePromise<string>
}

/** Signs a canonical request. */
export type CanonicalSigner = (
  canonicalRequest: string,
  date: SigningDate,
  apiKey: ApiKey,
) => MaybePromise<Signature>

/** The one algorithm of this scheme. */
export const algorithm = 'AWS4-HMAC-SHA256'

/**
 * Returns the steps that signed headers and presigned URLs share: string to sign, key and signature.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function createCanonicalSigner(engine: SigningEngine): CanonicalSigner {
  const signingKey = signingKeys(engine)
  return (canonical, date, apiKey) =>
    chain(engine.hash(canonical), (hash) => {
      const stringToSign = `${algorithm}\n${date.amzDate}\n${date.scopeText}\n${hash}`
      return chain(signingKey(apiKey, date), (key) => {
        const sign = (text: string): MaybePromise<string> => engine.sign(key, text)
        return chain(sign(stringToSign), (signature) => ({ stringToSign, signature, sign }))
      })
    })
}

/** The number of keys that are kept: today's and yesterday's of a handful of secrets. */
const maxKeys = 16

/** A derived key, or the promise of one, and what it was derived from. */
interface KeptKey {
  readonly secretAccessKey: string
  readonly scopeText: string
  key: MaybePromise<SigningKey>
}

/** Derives signing keys and keeps the last ones. */
export function signingKeys(
  engine: SigningEngine,
): (apiKey: ApiKey, date: SigningDate) => MaybePromise<SigningKey> {
  let kept: readonly KeptKey[] = []
  return ({ secretAccessKey }, { scope, scopeText }) => {
    const known = kept.find(
      (one) => one.scopeText === scopeText && one.secretAccessKey === secretAccessKey,
    )
    if (known) return known.key
    const key = engine.deriveKey(secretAccessKey, scope)
    const entry: KeptKey = { secretAccessKey, scopeText, key }
    kept = [...kept, entry].slice(-maxKeys)
    if (isThenable(key)) {
      Promise.resolve<SigningKey>(key).then(
        (ready) => (entry.key = ready),
        () => (kept = kept.filter((one) => one !== entry)),
      )
    }
    return key
  }
}
