import { AuthError } from '@svc/auth-hooks'
import { chain, isThenable, type MaybePromise } from '@svc/auth-hooks/scheme'
import type { OutgoingBody, OutgoingRequest } from '@svc/types'
import { canonicalQuery, type RepeatedParameters } from './canonical-query.ts'
import {
  canonicalHeaders,
  canonicalPath,
  canonicalRequest,
  type PathEncoding,
  signedHeaderFilter,
} from './canonical-request.ts'
import type { ApiKey } from './credentials.ts'
import type { CredentialScope, SigningEngine, SigningKey } from './engines/engine.ts'
import {
  payloadHash,
  type PayloadPolicy,
  type StreamingPayload,
  type WrappedPayload,
} from './payload.ts'
import { isS3Service } from './s3-service.ts'

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

/** Signs a request with a key at a date. */
export type Signer = (
  request: OutgoingRequest,
  apiKey: ApiKey,
  date: SigningDate,
) => MaybePromise<SignedRequest>

/** A signed request with everything that led to its signature. */
export interface SignedRequest extends Omit<Signature, 'signNext'> {
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

/** Puts the parts of Signature Version 4 together; synchronous where its engine and the body are. */
export function createSigner(settings: SignerSettings, signCanonical: CanonicalSigner): Signer {
  const { engine, service } = settings
  const isSigned = signedHeaderFilter(settings.signHeaders)
  const isS3 = isS3Service(service)

  return (request, apiKey, date) => {
    const { method, url } = request
    const { host } = url
    const path = canonicalPath(url, settings.pathEncoding)
    const query = canonicalQuery(url.search, settings.repeatedParameters)
    assertUnsigned(request, query.sent)
    const { payload } = settings
    const isStreaming = typeof payload === 'object'
    const wrapped = isStreaming ? payload.wrap(request) : undefined
    const payloadPolicy = isStreaming ? 'signed' : payload
    return chain(wrapped?.hash ?? payloadHash(request, payloadPolicy, engine), (hash) => {
      const added: [name: string, value: string | null][] = [['x-amz-date', date.amzDate]]
      for (const [name, value] of wrapped?.headers ?? []) added.push([name, value])
      // Only S3 asks for it; other services take the hash from the canonical request.
      const isSent = isS3 || !/^[\da-f]{64}$/.test(hash)
      if (isSent) added.push(['x-amz-content-sha256', hash])
      // A token left over from an earlier signature would be signed as if it were ours.
      const hasOldToken = request.headers.has('x-amz-security-token')
      if (apiKey.sessionToken !== undefined || hasOldToken) {
        added.push(['x-amz-security-token', apiKey.sessionToken ?? null])
      }
      const headers = canonicalHeaders(headersToSign(request, host, added, isSigned, wrapped))
      const { signedHeaders } = headers
      const canonical = canonicalRequest(method, path, query, headers, hash)

      return chain(
        signCanonical(canonical, date, apiKey),
        ({ stringToSign, signature, signNext }) => ({
          stringToSign,
          signature,
          canonicalRequest: canonical,
          signedHeaders,
          payloadHash: hash,
          url: `${url.protocol}//${host}${path.sent}${query.sent && `?${query.sent}`}`,
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

function assertUnsigned(request: OutgoingRequest, query: string): void {
  if (request.headers.has('authorization')) {
    throw requestError(
      'ERR_AUTH_HEADER',
      request,
      'already has an authorization header, in whose place the signature stands: remove it',
    )
  }
  if (query !== '' && /(?:^|&)X-Amz-Signature=/i.test(query)) {
    throw requestError('ERR_AUTH_URL', request, 'is already presigned; send it with plain fetch')
  }
}

/** Returns the error of a request that is not signed. */
export function requestError(
  code: 'ERR_AUTH_HEADER' | 'ERR_AUTH_ORIGIN' | 'ERR_AUTH_URL',
  { method, url }: OutgoingRequest,
  problem: string,
): AuthError {
  return new AuthError(code, `[@svc/auth-sigv4] ${method} ${url.origin}${url.pathname} ${problem}`)
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
  /** Signs the chunks that follow the head, with the same key. */
  readonly signNext: (stringToSign: string) => MaybePromise<string>
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
      return chain(signingKey(apiKey, date), (key) =>
        chain(engine.sign(key, stringToSign), (signature) => ({
          stringToSign,
          signature,
          signNext: (next) => engine.sign(key, next),
        })),
      )
    })
}

/** The date of a signature, in every form in which it is signed. */
export interface SigningDate {
  /** As it stands in `x-amz-date`: `20130524T000000Z`. */
  readonly amzDate: string
  readonly scope: CredentialScope
  /** The scope as it stands in the string to sign: `20130524/us-east-1/s3/aws4_request`. */
  readonly scopeText: string
}

/** Returns a function that formats the date of a signature. It keeps the last second: many signatures share one. */
export function signingDates(region: string, service: string): (at: number) => SigningDate {
  let last: SigningDate | undefined
  let lastSecond: number | undefined
  return (at) => {
    const second = Math.floor(at / 1000)
    if (last && second === lastSecond) return last
    const amzDate = new Date(at).toISOString().replace(/[-:]|\.\d{3}/g, '')
    const scope = { date: amzDate.slice(0, 8), region, service }
    last = { amzDate, scope, scopeText: `${scope.date}/${region}/${service}/aws4_request` }
    lastSecond = second
    return last
  }
}

/** The number of keys that are kept: today's and yesterday's of a handful of access keys. */
const maxKeys = 16

/** Derives signing keys and keeps the last ones. No secret stands in a key of the cache. */
export function signingKeys(
  engine: SigningEngine,
): (apiKey: ApiKey, date: SigningDate) => MaybePromise<SigningKey> {
  const cache = new Map<string, { secretAccessKey: string; key: MaybePromise<SigningKey> }>()
  const find = ({ accessKeyId, secretAccessKey }: ApiKey, { scope, scopeText }: SigningDate) => {
    const name = `${accessKeyId}/${scopeText}`
    const cached = cache.get(name)
    // An access key keeps its name where only its secret was wrong at first.
    if (cached?.secretAccessKey === secretAccessKey) return cached.key
    const key = engine.deriveKey(secretAccessKey, scope)
    const entry: { secretAccessKey: string; key: MaybePromise<SigningKey> } = {
      secretAccessKey,
      key,
    }
    cache.delete(name)
    cache.set(name, entry)
    if (cache.size > maxKeys) {
      const [oldest = ''] = cache.keys()
      cache.delete(oldest)
    }
    if (isThenable(key)) {
      // From then on, nobody has to wait for it.
      Promise.resolve<SigningKey>(entry.key).then(
        (ready) => (entry.key = ready),
        () => cache.delete(name),
      )
    }
    return key
  }

  let last: { apiKey: ApiKey; date: SigningDate; key: MaybePromise<SigningKey> } | undefined
  return (apiKey, date) => {
    // Within a second both are the very objects of before, and no name has to be written.
    if (last?.apiKey === apiKey && last.date === date) return last.key
    const key = find(apiKey, date)
    last = isThenable(key) ? undefined : { apiKey, date, key }
    return key
  }
}

function authorizationHeader(
  accessKeyId: string,
  scope: string,
  signedHeaders: string,
  signature: string,
): string {
  return `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`
}
