import {
  emit,
  isHttpToken,
  matchOrigins,
  type MaybePromise,
  parseBaseUrl,
  chain,
} from '@svc/auth-hooks/scheme'
import type { Authorization, AuthEvent, AuthScheme, OutgoingRequest } from '@svc/types'
import { defaultEngine } from '#default-engine'
import type { PathEncoding } from './canonical-request.ts'
import type { RepeatedParameters } from './canonical-query.ts'
import { createServiceClock } from './clock.ts'
import { type ApiKeyProvider, credentialSource } from './credentials.ts'
import type { PayloadPolicy } from './payload.ts'
import type { SigningEngine } from './engines/engine.ts'
import type { ExplainOptions, Explanation } from './explain.ts'
import type { PresignOptions } from './presign.ts'
import { createSigner, type SignerSettings } from './signer.ts'
import type { StreamingPayload } from './payload.ts'
import { createCanonicalSigner } from './signer.ts'
import { signingDates } from './signer.ts'

/** Options of {@link createSigV4Auth}. */
export interface SigV4AuthOptions {
  /** The environment's base URL. Signed requests go to its origin. */
  baseUrl: string | URL
  /**
   * More origins that requests may be signed for; `https://*.example.com` covers one label.
   *
   * @default `[]`
   */
  origins?: readonly string[] | undefined
  /** The environment's region, as in the credential scope, such as `us-east-1`. */
  region: string
  /**
   * The service name in the credential scope.
   *
   * @default `'s3'`
   */
  service?: string | undefined
  /** The access key and its secret, or a function that returns them; see {@link ApiKeyProvider}. */
  credentials: ApiKeyProvider
  /**
   * How a body is signed. `signed` hashes the bytes that are sent, `unsigned` sends
   * `UNSIGNED-PAYLOAD`, `auto` hashes bytes and sends a stream unsigned over https;
   * `streaming()` from `@svc/auth-sigv4/streaming` sends every body in signed chunks. A `Blob` larger than
   * 64 MiB counts as a stream if the engine cannot hash in pieces (WebCrypto).
   *
   * @default `'auto'`
   */
  payload?: PayloadPolicy | StreamingPayload | undefined
  /**
   * Headers to sign in addition to `host`, `content-type`, `content-md5`, `range`, `if-*` and `x-amz-*`.
   *
   * @default `[]`
   */
  signHeaders?: readonly string[] | undefined
  /**
   * How the path is signed and sent; see {@link PathEncoding}.
   *
   * @default `'s3'` for the service `s3`, `'double'` for any other
   */
  pathEncoding?: PathEncoding | undefined
  /**
   * Whether repeated values of a parameter are signed sorted by value, as the specification says, or in
   * the order of the URL, as MinIO and Ceph do. They are sent in their original order.
   *
   * @default `'by-value'`
   */
  repeatedParameters?: RepeatedParameters | undefined
  /**
   * Computes hashes and signatures.
   *
   * @default `nativeEngine()` on Node, Bun and Deno, `webCryptoEngine()` elsewhere
   */
  engine?: SigningEngine | undefined
  /**
   * The time, in epoch milliseconds.
   *
   * @default `Date.now`
   */
  clock?: (() => number) | undefined
  /**
   * Receives `signed` for every signature and `clock.adjusted` for every correction of the clock. Errors it
   * throws are ignored.
   *
   * @default none
   */
  onEvent?: ((event: AuthEvent) => void) | undefined
}

/** A scheme that signs requests, for `authFetch`, `authKy` and the adapters of other clients. */
export interface SigV4Auth extends AuthScheme {
  /**
   * Signs a URL for someone who has no key. Anyone who has the presigned URL can send this one request
   * until it expires: treat it as a secret. A URL that is already presigned is signed again.
   *
   * @throws TypeError if the URL or an option is invalid.
   * @throws AuthError `ERR_AUTH_ORIGIN` for a URL that is not covered, `ERR_AUTH_URL` for one with a user
   * name or a dot segment, `ERR_AUTH_HEADER` for an `authorization` header, `ERR_AUTH_CREDENTIALS`,
   * `ERR_AUTH_CRYPTO`.
   * @example
   * import { createSigV4Auth } from '@svc/auth-sigv4'
   *
   * const auth = createSigV4Auth({
   *   baseUrl: 'https://search.example.com',
   *   region: 'us-east-1',
   *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
   * })
   * const link = await auth.presign('https://search.example.com/V1/report.csv', {
   *   expiresInSeconds: 600,
   * })
   * console.log(link.searchParams.get('X-Amz-Expires')) // 600
   * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
   */
  presign(url: string | URL, options?: PresignOptions): Promise<URL>
  /**
   * Shows how a request would be signed, without sending it.
   *
   * @throws TypeError if `at` is not a valid instant.
   * @throws AuthError as `authorize` does, and `ERR_AUTH_ORIGIN` for a URL that is not covered.
   * @example
   * import { createSigV4Auth } from '@svc/auth-sigv4'
   *
   * const auth = createSigV4Auth({
   *   baseUrl: 'https://search.example.com',
   *   region: 'us-east-1',
   *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
   * })
   * const { canonicalRequest } = await auth.explain('https://search.example.com/V1/report.csv')
   * console.log(canonicalRequest)
   * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
   */
  explain(
    input: string | URL | Request,
    init?: RequestInit,
    options?: ExplainOptions,
  ): Promise<Explanation>
}

/**
 * Signs requests with AWS Signature Version 4: one canonical form is signed and sent, an allowlist of
 * headers is signed, and the body that is hashed is the body that is sent.
 *
 * @throws TypeError at construction, if an option is invalid; the message names it.
 * @throws AuthError from `authorize`: `ERR_AUTH_URL` for a path with a dot segment or a URL that is
 * already presigned, `ERR_AUTH_HEADER` for a request with an `authorization` header, `ERR_AUTH_BODY` for a
 * stream or a Blob that cannot be signed, `ERR_AUTH_CREDENTIALS` if the credentials function returns no
 * usable key, `ERR_AUTH_CRYPTO` if the engine is WebCrypto and the page has none.
 * @example
 * import { authFetch, createSigV4Auth } from '@svc/auth-sigv4'
 *
 * const auth = createSigV4Auth({
 *   baseUrl: 'https://search.example.com',
 *   region: 'us-east-1',
 *   credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'EXAMPLEKEY' },
 * })
 * const response = await authFetch(auth)('https://search.example.com/V1/report.csv')
 * console.log(await response.text())
 * @see Interface of the service, section 5.2
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function createSigV4Auth(options: SigV4AuthOptions): SigV4Auth {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError('options must be an object')
  }
  const baseUrl = parseBaseUrl(options.baseUrl, '[@svc/auth-sigv4] createSigV4Auth')
  const covers = matchOrigins(
    options.origins ?? [],
    '[@svc/auth-sigv4] createSigV4Auth',
    'origins',
    baseUrl,
  )
  const clock = optionalFunction('clock', options.clock) ?? Date.now
  const onEvent = optionalFunction('onEvent', options.onEvent)
  const credentials = credentialSource(options.credentials, clock)
  const settings = readSettings(options)
  const signCanonical = createCanonicalSigner(settings.engine)
  const sign = createSigner(settings, signCanonical)
  const dateOf = signingDates(settings.region, settings.service)
  const serviceClock = createServiceClock(clock, (offsetMs) =>
    emit(onEvent, () => ({
      type: 'clock.adjusted',
      scheme: 'sigv4',
      origin,
      offsetMs,
    })),
  )
  const { origin } = baseUrl

  const authorize = (request: OutgoingRequest): MaybePromise<Authorization> =>
    chain(credentials(), (apiKey) => {
      const time = serviceClock.now()
      return chain(
        sign(request, apiKey, dateOf(time.at)),
        ({ headers, url, signedHeaders, body }) => {
          emit(onEvent, () => ({
            type: 'signed',
            scheme: 'sigv4',
            origin: request.url.origin,
            method: request.method,
            signedHeaders,
          }))
          return {
            scheme: 'sigv4',
            headers,
            url,
            ...(body && { body }),
            review: (head) => (serviceClock.learn(head, time) ? 'clock-skew' : undefined),
          }
        },
      )
    })

  const auth: SigV4Auth = {
    name: 'sigv4',
    sensitiveHeaders: ['x-amz-*'],
    covers,
    authorize,
    async prepare() {
      await credentials()
    },
    async presign(url, presignOptions) {
      const { presignUrl, readTarget } = await import('./presign.ts')
      const target = readTarget(url, covers)
      const apiKey = await credentials()
      const date = dateOf(serviceClock.now().at)
      return presignUrl(settings, signCanonical, target, apiKey, date, presignOptions)
    },
    async explain(input, init, explainOptions) {
      const { explainRequest } = await import('./explain.ts')
      const signNow = async (request: OutgoingRequest, at = serviceClock.now().at) =>
        sign(request, await credentials(), dateOf(at))
      return explainRequest(auth, signNow, input, init, explainOptions)
    },
  }
  return Object.freeze(auth)
}

function readSettings(options: SigV4AuthOptions): SignerSettings {
  const { payload = 'auto', repeatedParameters = 'by-value', signHeaders = [] } = options
  const region = scopePart('region', 'us-east-1', options.region)
  const service = scopePart('service', 's3', options.service ?? 's3')
  const pathEncoding = options.pathEncoding ?? (service === 's3' ? 's3' : 'double')
  if (typeof payload === 'object' ? typeof payload?.wrap !== 'function' : !isPolicy(payload)) {
    throw new TypeError("payload must be 'auto', 'signed', 'unsigned' or the result of streaming()")
  }
  oneOf('repeatedParameters', repeatedParameters, ['by-value', 'wire-order'])
  oneOf('pathEncoding', pathEncoding, ['s3', 'double', 'verbatim'])
  if (!Array.isArray(signHeaders) || !signHeaders.every(isHttpToken)) {
    throw new TypeError('signHeaders must be an array of header names')
  }
  const engine = options.engine ?? defaultEngine()
  const parts = ['hash', 'deriveKey', 'sign'] as const
  if (parts.some((part) => typeof engine[part] !== 'function')) {
    throw new TypeError('engine must be a SigningEngine with hash, deriveKey and sign')
  }
  return { region, service, payload, repeatedParameters, signHeaders, pathEncoding, engine }
}

function isPolicy(payload: string): boolean {
  return payload === 'auto' || payload === 'signed' || payload === 'unsigned'
}

function scopePart(option: string, example: string, value: unknown): string {
  if (typeof value === 'string' && /^[\w.-]+$/.test(value)) return value
  throw new TypeError(
    `${option} must be a name such as ${example}, with only letters, digits, -, . and _`,
  )
}

function oneOf(option: string, value: string, values: readonly string[]): void {
  if (!values.includes(value)) throw new TypeError(`${option} must be one of ${values.join(', ')}`)
}

function optionalFunction<T>(option: string, value: T): T {
  if (value === undefined || typeof value === 'function') return value
  throw new TypeError(`${option} must be a function`)
}
